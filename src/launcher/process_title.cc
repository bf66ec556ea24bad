#include "launcher/process_title.h"

#include <algorithm>

#include "base/text.h"

namespace muster::launcher {

bool ShowTitle(std::span<char> title, const std::vector<std::string>& words) {
  const std::string text = Join(words, std::string_view("\0", 1));
  if (text.size() >= title.size()) return false;
  std::ranges::fill(title, '\0');
  std::ranges::copy(text, title.begin());
  return true;
}

}  // namespace muster::launcher
