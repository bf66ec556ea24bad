#include "checkup/examine.h"

#include <algorithm>
#include <tuple>

#include "checkup/rules.h"

namespace muster::checkup {

Reading Read(const Script& script, const Surroundings& here) {
  Reading reading{script, here, {}, {}, {}};
  if (script.language == Language::kShell) {
    reading.commands = ReadShell(script.text);
    reading.settings = SettingsOf(reading.commands);
  } else {
    reading.statements = ReadPython(script.text);
    reading.settings = SettingsOf(reading.statements);
  }
  return reading;
}

std::vector<Finding> Examine(const Script& script, const Surroundings& here) {
  const Reading reading = Read(script, here);
  Findings findings;
  for (const auto check : {CheckRanks, CheckCounts, CheckNetwork, CheckLaunchers, CheckInterfaces,
                           CheckPlatform, CheckEndings, CheckText})
    check(reading, findings);
  // Of two findings of one fault on one line, the graver one is kept.
  std::sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tuple(a.line, a.fault, b.grade, a.said) <
           std::tuple(b.line, b.fault, a.grade, b.said);
  });
  const auto same = [](const Finding& a, const Finding& b) {
    return a.line == b.line && a.fault == b.fault;
  };
  findings.erase(std::unique(findings.begin(), findings.end(), same), findings.end());
  return findings;
}

}  // namespace muster::checkup
