#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/screen.h"

namespace muster::cli {

// What every verb works with; outlives it.
struct Context {
  const Extras& extras;
  Screen& screen;
  const Clock& clock;
  std::vector<std::string> arguments;  // as typed behind the verb
};

}  // namespace muster::cli
