#include "model/default_name.h"

#include <algorithm>

#include "base/text.h"
#include "model/value_types.h"

namespace muster {
namespace {

constexpr size_t kLongestName = 40;

std::string_view LastPart(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path.substr(path.rfind('/') + 1);
}

// Replaces characters that names cannot contain by dashes. Empty if too few remain.
std::string Cleaned(std::string_view text) {
  std::string name;
  for (char c : text.substr(0, kLongestName)) {
    const bool fits = kNameRule.Fits(name + c);
    if (fits) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (name.ends_with('-') || name.ends_with('.')) name.pop_back();
  return name;
}

bool IsScript(std::string_view word) { return word.ends_with(".py") || word.ends_with(".sh"); }

std::string FromWords(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const auto script = std::ranges::find_if(words, IsScript);
  std::string_view word = LastPart(script == words.end() ? words.front() : *script);
  if (IsScript(word)) word.remove_suffix(3);
  return Cleaned(word);
}

std::string FromRun(const json::value& run) {
  if (const auto* text = run.if_string()) {
    const auto words = ShellSplit(*text);
    return FromWords(words ? *words : Split(*text, ' '));
  }
  std::vector<std::string> words;
  if (const auto* list = run.if_array()) {
    for (const json::value& word : *list)
      if (word.is_string()) words.emplace_back(word.get_string());
  }
  return FromWords(words);
}

}  // namespace

std::string DefaultName(const json::object& document) {
  const std::string_view code = GetString(document, "code");
  std::string name = code == kNoCode ? "" : Cleaned(LastPart(code));
  if (!name.empty()) return name;
  if (const auto* run = document.if_contains("run")) name = FromRun(*run);
  if (const auto* roles = GetObject(document, "roles")) {
    for (const auto& member : *roles) {
      const auto* role = member.value().if_object();
      const auto* run = role == nullptr ? nullptr : role->if_contains("run");
      if (name.empty() && run != nullptr) name = FromRun(*run);
    }
  }
  return name.empty() ? "job" : name;
}

}  // namespace muster
