#include "verdict/shorten.h"

#include "base/text.h"

namespace muster::verdict {

std::string ShortenLine(std::string_view line, size_t limit) {
  std::string text = Printable(line.substr(0, kLongestLine));
  if (text.size() <= limit) return text;
  size_t end = limit;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

}  // namespace muster::verdict
