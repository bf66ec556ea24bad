#include "dialect/table_members.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::dialect {

namespace {

constexpr size_t kShown = 40;  // length of a value in a message

std::string Shown(const json::value& value) {
  std::string text = Printable(ToJson(value));
  if (text.size() > kShown) text = CleanUtf8(text.substr(0, kShown)) + "…";
  return text;
}

std::string_view KindOf(const json::value& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  return {};
}

std::string Found(const json::value& value) {
  const std::string_view kind = KindOf(value);
  return fmt::format("found {}", kind.empty() ? Shown(value) : kind);
}

bool IsOneOf(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

std::string Below(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::string Below(const std::string& path, std::string_view key, size_t index) {
  return fmt::format("{}[{}]", Below(path, key), index);
}

void TableMembers::Fault(std::string path, std::string text) {
  faults_.push_back({.path = std::move(path), .text = std::move(text)});
}

void TableMembers::Warn(std::string path, std::string text) {
  faults_.push_back({.path = std::move(path), .text = std::move(text), .warning = true});
}

const json::object* TableMembers::Object(const json::value& value, const std::string& path) {
  const json::object* object = value.if_object();
  if (object == nullptr) Fault(path, Found(value) + ", expected an object");
  return object;
}

const json::array* TableMembers::List(const json::object& from, const std::string& path,
                                      std::string_view key) {
  const json::value* value = from.if_contains(key);
  if (value == nullptr) {
    Fault(path, fmt::format("\"{}\" is missing", key));
    return nullptr;
  }
  const json::array* list = value->if_array();
  if (list == nullptr) {
    Fault(Below(path, key), Found(*value) + ", expected a list");
  } else if (list->empty()) {
    Fault(Below(path, key), "the list is empty");
    return nullptr;
  }
  return list;
}

std::optional<std::string> TableMembers::Text(const json::object& from, const std::string& path,
                                              std::string_view key) {
  if (from.contains(key)) return TextIfThere(from, path, key);
  Fault(path, fmt::format("\"{}\" is missing", key));
  return std::nullopt;
}

std::optional<std::string> TableMembers::TextIfThere(const json::object& from,
                                                     const std::string& path,
                                                     std::string_view key) {
  const json::value* value = from.if_contains(key);
  if (value == nullptr) return std::string();
  if (const json::string* text = value->if_string()) return std::string(*text);
  if (value->is_number()) {
    Fault(Below(path, key), fmt::format("{}, expected the text \"{}\": HCCL reads texts only",
                                        Found(*value), ToJson(*value)));
  } else {
    Fault(Below(path, key), Found(*value) + ", expected a text");
  }
  return std::nullopt;
}

std::optional<int> TableMembers::Number(const json::object& from, const std::string& path,
                                        std::string_view key, int low, int high) {
  const auto text = Text(from, path, key);
  if (!text) return std::nullopt;
  const auto number = ParseInt(*text);
  if (number && *number >= low && *number <= high) return int(*number);
  Fault(Below(path, key), fmt::format("found {}, expected a number from {} to {}",
                                      Shown(json::string(*text)), low, high));
  return std::nullopt;
}

void TableMembers::Count(const json::object& from, const std::string& path, std::string_view key,
                         size_t length, std::string_view of, bool needed) {
  if (!needed && !from.contains(key)) return;
  const auto text = Text(from, path, key);
  if (!text || *text == std::to_string(length)) return;
  Fault(Below(path, key),
        fmt::format("found {}, but there are {} {}", Shown(json::string(*text)), length, of));
}

Pairs TableMembers::More(const json::object& from, const std::string& path,
                         std::span<const std::string_view> read,
                         std::span<const std::string_view> known) {
  Pairs more;
  for (const auto& member : from) {
    const std::string_view key = member.key();
    if (IsOneOf(key, read)) continue;
    if (IsOneOf(key, known)) {
      if (auto text = TextIfThere(from, path, key)) more.emplace_back(key, std::move(*text));
      continue;
    }
    std::vector<std::string_view> names(read.begin(), read.end());
    names.insert(names.end(), known.begin(), known.end());
    const std::string_view meant = DidYouMean(key, names);
    Warn(Below(path, Printable(key)),
         meant.empty() ? std::string("HCCL does not know this key")
                       : fmt::format("HCCL does not know this key; did you mean \"{}\"?", meant));
  }
  return more;
}

}  // namespace muster::dialect
