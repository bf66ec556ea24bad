#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "checkup/finding.h"
#include "checkup/script.h"
#include "cli/context.h"
#include "cli/flags.h"
#include "os/file.h"

namespace muster::cli {

// One script that `muster doctor FILE…` looked at.
struct ScriptReport {
  std::string name;
  checkup::Language language = checkup::Language::kShell;
  std::vector<checkup::Finding> findings;
};

// Reads one script and the places around it. kInvalid for what is no script, kTooLarge, or why it
// cannot be read.
Result<ScriptReport> LookAtScript(const std::string& name);

std::string ScriptText(const Screen& screen, const ScriptReport& report);
json::object ScriptJson(const ScriptReport& report);

// The whole of `muster doctor FILE…`. The exit code: 0 nothing that cannot be right (with --strict
// nothing at all), 1 something is.
Result<int> LookAtScripts(Context& context, const Args& args);

}  // namespace muster::cli
