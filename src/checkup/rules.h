#pragma once

#include <string_view>
#include <vector>

#include "checkup/examine.h"
#include "checkup/finding.h"
#include "checkup/python.h"
#include "checkup/settings.h"
#include "checkup/shell.h"

namespace muster::checkup {

// A script after reading; one of the two lists is empty.
struct Reading {
  const Script& script;
  const Surroundings& here;
  std::vector<ShellCommand> commands;
  std::vector<Statement> statements;
  std::vector<Setting> settings;
};

Reading Read(const Script& script, const Surroundings& here);

// The rules, one family per file. Each function appends its findings.
using Findings = std::vector<Finding>;
void CheckRanks(const Reading& reading, Findings& findings);
void CheckCounts(const Reading& reading, Findings& findings);
void CheckNetwork(const Reading& reading, Findings& findings);
void CheckLaunchers(const Reading& reading, Findings& findings);
void CheckInterfaces(const Reading& reading, Findings& findings);
void CheckPlatform(const Reading& reading, Findings& findings);
void CheckEndings(const Reading& reading, Findings& findings);
void CheckText(const Reading& reading, Findings& findings);

// Whether a name is one of a list of names.
template <typename List>
bool IsOneOf(std::string_view name, const List& list) {
  for (const std::string_view each : list)
    if (each == name) return true;
  return false;
}

}  // namespace muster::checkup
