#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checkup/finding.h"
#include "checkup/script.h"

namespace muster::checkup {

// Larger files are not examined.
inline constexpr size_t kLargestScript = 1024 * 1024;

struct SyntaxError {
  int line = 0;      // from 1; 0 if the interpreter names no line
  std::string text;  // "Python 3.11: invalid syntax"
};

// Facts about the machine on which the script is examined; the caller collects them.
struct Surroundings {
  std::set<std::string> missing;      // the entries of NamedPaths that do not exist
  std::optional<SyntaxError> syntax;  // the first error that the interpreter reports
};

// The absolute paths in the script, and the scripts that it runs, relative to its start folder. A
// bounded number, without duplicates.
std::vector<std::string> NamedPaths(const Script& script);

// All findings, sorted by line; each fault appears once per line. Pure.
std::vector<Finding> Examine(const Script& script, const Surroundings& here);

}  // namespace muster::checkup
