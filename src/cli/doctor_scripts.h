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

// The result of `muster doctor` for one script.
struct ScriptReport {
  std::string name;
  checkup::Language language = checkup::Language::kShell;
  std::vector<checkup::Finding> findings;
};

// Reads and examines one script. Errors: kInvalid if the file is not a script, kTooLarge, or the
// reason why it cannot be read.
Result<ScriptReport> LookAtScript(const std::string& name);

std::string ScriptText(const Screen& screen, const ScriptReport& report);
json::object ScriptJson(const ScriptReport& report);

// `muster doctor FILE…`. A file that cannot be examined is reported, and the others are examined.
// Exit code: 0 no failure (with --strict no finding), 1 a failure or an unreadable file, 2 a file
// that is not a script.
Result<int> LookAtScripts(Context& context, const Args& args);

}  // namespace muster::cli
