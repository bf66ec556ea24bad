#pragma once

#include <string>

#include "cli/verbs.h"

namespace muster::cli {

// Manual pages in the man(7) macros, made from the rows of the verbs: muster(1), which lists all
// verbs, and muster-VERB(1).
std::string ManPageOfMuster();
std::string ManPageOf(const Verb& verb);

}  // namespace muster::cli
