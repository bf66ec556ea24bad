#include "dialect/words.h"

#include <algorithm>

namespace muster::dialect {

namespace {

char Plain(char c) { return c == '_' ? '-' : c; }

}  // namespace

bool IsFlag(std::string_view word, std::string_view name) {
  if (!word.starts_with("--")) return false;
  word.remove_prefix(2);
  word = word.substr(0, word.find('='));
  return std::ranges::equal(word, name, {}, Plain, Plain);
}

bool HasFlag(const std::vector<std::string>& argv, std::string_view name) {
  return std::ranges::any_of(argv, [&](const std::string& word) { return IsFlag(word, name); });
}

std::optional<std::string> TakeFlag(std::vector<std::string>& argv, std::string_view name) {
  const auto word = std::ranges::find_if(argv, [&](const auto& one) { return IsFlag(one, name); });
  if (word == argv.end()) return std::nullopt;
  const size_t equal = word->find('=');
  std::string value;
  auto end = word + 1;
  if (equal != std::string::npos) {
    value = word->substr(equal + 1);
  } else if (end != argv.end() && !end->starts_with("--")) {
    value = *end++;
  }
  argv.erase(word, end);
  return value;
}

}  // namespace muster::dialect
