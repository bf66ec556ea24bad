#include "transfer/filter.h"

#include <algorithm>

namespace muster::transfer {
namespace {

// One element of a pattern at `at`: its length, and whether it matches the byte.
struct Step {
  size_t length = 1;
  bool fits = false;
};

Step StepAt(std::string_view pattern, size_t at, char c) {
  if (pattern[at] == '?') return {1, true};
  if (pattern[at] != '[') return {1, pattern[at] == c};
  const bool negated =
      at + 1 < pattern.size() && (pattern[at + 1] == '!' || pattern[at + 1] == '^');
  const size_t first = at + 1 + (negated ? 1 : 0);
  const size_t end = pattern.find(']', first + 1);
  if (end == std::string_view::npos) return {1, c == '['};  // the set is not closed: a literal '['
  bool found = false;
  for (size_t i = first; i < end; ++i) {
    if (i + 2 < end && pattern[i + 1] == '-') {
      const auto low = static_cast<unsigned char>(pattern[i]);
      const auto high = static_cast<unsigned char>(pattern[i + 2]);
      const auto byte = static_cast<unsigned char>(c);
      found = found || (byte >= low && byte <= high);
      i += 2;
    } else {
      found = found || pattern[i] == c;
    }
  }
  return {end + 1 - at, found != negated};
}

}  // namespace

bool Matches(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0;
  // The last '*' and the current end of its match.
  size_t star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
      continue;
    }
    const Step step = p < pattern.size() ? StepAt(pattern, p, text[t]) : Step{};
    if (p < pattern.size() && step.fits) {
      p += step.length;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return std::ranges::all_of(pattern.substr(p), [](char c) { return c == '*'; });
}

bool Filter::Takes(std::string_view name) const {
  bool taken = rules.empty() || !rules.front().include;
  const std::string_view last = name.substr(name.rfind('/') + 1);
  for (const Rule& rule : rules) {
    const bool anywhere = rule.pattern.find('/') == std::string::npos;
    if (Matches(rule.pattern, name) || (anywhere && Matches(rule.pattern, last))) {
      taken = rule.include;
    }
  }
  return taken;
}

}  // namespace muster::transfer
