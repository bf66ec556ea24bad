#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/flags.h"
#include "model/spec.h"
#include "model/spec_reader.h"
#include "os/file.h"

namespace muster::cli {

// What `run` and `plan` were given, checked here before any server hears of it.
struct JobInput {
  json::object document;       // as a job file, every path absolute
  std::vector<JobSpec> specs;  // what it means: one, or one a combination of a sweep
  std::string code;            // folder to snapshot, absolute; empty: none
  std::string code_said;       // as the user wrote it
  std::string note;            // what was decided about the code by ourselves, or empty
};

// From the job file in words[0] ("-": standard input), the flags over it, and the command behind
// "--". Relative paths mean the job file's folder in the file and `here` on flags. All faults at
// once as one kInvalid Error, a line each.
Result<JobInput> ReadJobInput(const Args& args, const os::Path& here);

}  // namespace muster::cli
