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

// The input of `run` and `plan`, checked before it is sent.
struct JobInput {
  json::object document;       // as a job file with absolute paths
  std::vector<JobSpec> specs;  // the resulting specs; several for a sweep
  bool env_by_default = true;  // nobody chose which variables of this shell the job takes
  std::string code;            // folder to snapshot, absolute, or in a bucket; empty: none
  std::string code_reason;     // why this folder, or none, is sent; empty: the user named it
  std::vector<std::string> named_files;  // in `code`, relative to it: the snapshot must have them
};

// From the job file in words[0] ("-": standard input), the flags over it, and the command behind
// "--". Relative paths mean the job file's folder in the file and `here` on flags and in a command
// behind "--". All faults at once as one kInvalid Error, a line each, and in `faults` (may be
// null). With the variables of this process that the job takes.
Result<JobInput> ReadJobInput(const Args& args, const os::Path& here,
                              std::vector<Fault>* faults = nullptr);

// For a server on another machine, whose folders are not those of this shell: keeps the language
// alone (LANG, LC_*), unless the user chose the variables.
void ForgetLocalPaths(JobInput& input);

}  // namespace muster::cli
