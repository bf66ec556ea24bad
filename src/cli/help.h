#pragma once

#include <string>

#include "base/json.h"

#include "cli/screen.h"
#include "cli/verbs.h"

namespace muster::cli {

// The page of `muster help`: every verb with its summary.
std::string OverviewText(const Screen& screen);

// The page of `muster VERB --help`.
std::string HelpText(const Screen& screen, const Verb& verb);

// The same for programs: {"verbs": [{"name", "summary"}]}, and {"name", "aliases", "summary",
// "words", "flags": [{"name", "letter", "value", "help"}], "examples": [{"command", "what"}]}.
json::object OverviewJson();
json::object HelpJson(const Verb& verb);

}  // namespace muster::cli
