#pragma once

#include <set>
#include <string>
#include <vector>

#include "checkup/finding.h"
#include "checkup/script.h"

namespace muster::checkup {

// Scripts larger than this are data with a script's name.
inline constexpr size_t kLargestScript = 1024 * 1024;

// What is true of the machine where the script was looked at; the caller finds it out.
struct Surroundings {
  std::set<std::string> missing;  // of NamedPaths: those that do not exist
};

// Files and folders that the script names: absolute ones, and the scripts that it runs, which mean
// the folder that it is started in. A bounded number, each once.
std::vector<std::string> NamedPaths(const Script& script);

// Everything that is known to be wrong with it, by line, each fault once a line. Pure.
std::vector<Finding> Examine(const Script& script, const Surroundings& here);

}  // namespace muster::checkup
