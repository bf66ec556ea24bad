#pragma once

#include <string>

#include "cli/screen.h"
#include "cli/verbs.h"

namespace muster::cli {

// The page of `muster help`: every verb with its line.
std::string OverviewText(const Screen& screen);

// The page of `muster VERB --help`.
std::string HelpText(const Screen& screen, const Verb& verb);

}  // namespace muster::cli
