#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/screen.h"

namespace muster::cli {

// The context of a verb; outlives it.
struct Context {
  const Extras& extras;
  Screen& screen;
  const Clock& clock;
  std::vector<std::string> arguments;  // as typed after the verb
};

}  // namespace muster::cli
