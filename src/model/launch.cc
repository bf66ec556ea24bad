#include "model/launch.h"

#include <algorithm>

namespace muster {

std::span<const std::string_view> WaysToStart(std::string_view framework) {
  const auto found = std::ranges::find(kFrameworkWays, framework, &FrameworkWays::name);
  if (found == kFrameworkWays.end()) return {};
  const auto& starts = found->starts;
  const auto end = std::ranges::find(starts, std::string_view());
  return {starts.begin(), end};
}

}  // namespace muster
