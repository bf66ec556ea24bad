#pragma once

#include <string>
#include <vector>

namespace muster::verdict {

// The module that Python could not find: "utils.data" of "No module named 'utils.data'". Empty when
// the lines name none.
std::string MissingModule(const std::vector<std::string>& evidence);

// What is known about the module and the job's code.
struct ModuleSearch {
  std::string module;  // the first part of the name, "utils"
  std::string found;   // the file in the job's code, "lib/utils.py"; empty: not in there
  bool has_code = false;
};

// What to do: set the search path for a module of the job's own code, send the code, or install it.
std::string ModuleAdvice(const ModuleSearch& search, const std::string& python);

}  // namespace muster::verdict
