#pragma once

#include <string>
#include <vector>

#include "model/spec.h"
#include "os/file.h"

namespace muster::cli {

// A relative path in a job's commands or parameters that exists below a folder of this machine.
struct NamedPath {
  std::string path;        // normalized: "train.py", "conf/a.yaml", "../train.py"
  bool is_folder = false;  // "cd src", "pytest tests/"
  bool is_script = false;  // the program, a .py or .sh file, or the module of "python -m"
  bool in_shell = false;   // in the text of a shell, which may make or fetch the file by itself

  bool LeavesFolder() const { return path.starts_with("../"); }
  // Whether the job fails where the file is missing. A word such as "train" may be no path at all.
  bool IsNeeded() const {
    return is_script || (!is_folder && !in_shell && path.find_first_of("./") != std::string::npos);
  }
};

// Every such path of all roles, each once, in the order of the commands. A folder counts only
// where the text shows that a path is meant: behind `cd`, or with a '/' in it. In the text of a
// shell every word is looked at.
std::vector<NamedPath> FindNamedPaths(const JobSpec& spec, const os::Path& folder);

// The modules beside or below `script`'s folder that it imports, as paths relative to `folder`:
// "helper.py", "lib/__init__.py". `script` is relative to `folder`.
std::vector<std::string> FindOwnModules(const os::Path& folder, const std::string& script);

}  // namespace muster::cli
