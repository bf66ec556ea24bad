#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/spec.h"
#include "os/file.h"

namespace muster::cli {

// Which folder is sent with a job as its code.
struct CodeChoice {
  std::string folder;              // absolute; empty: none
  std::string reason;              // why it was chosen, or why none was; empty: the user named it
  std::vector<std::string> files;  // the job needs these, relative to `folder`
};

// The rule for a job that names no code folder: `here` is sent when the job's commands name a file
// in it, or a folder by a path. `here` is the folder that relative paths in the commands refer to:
// that of the job file, or the current folder for a command on the command line. kInvalid where a
// named file lies outside of `here`.
Result<CodeChoice> ChooseCode(const JobSpec& spec, const os::Path& here);

// The files that the job's commands name in the code folder `folder`, which the user named.
// kInvalid where a named file exists in `here` and not in `folder`: commands run inside of the
// code folder.
Result<std::vector<std::string>> FilesInCode(const JobSpec& spec, const os::Path& here,
                                             const os::Path& folder);

// kInvalid when a job without code is to run a script that exists in `here`. A job with a setup
// hook may bring the script by itself.
Status CheckWithoutCode(const JobSpec& spec, const os::Path& here);

}  // namespace muster::cli
