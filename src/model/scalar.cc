#include "model/scalar.h"

#include <array>

#include "base/text.h"

namespace muster {
namespace {

constexpr std::array<std::string_view, 5> kNulls = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 3> kTrues = {"true", "True", "TRUE"};
constexpr std::array<std::string_view, 3> kFalses = {"false", "False", "FALSE"};

bool IsOneOf(std::string_view text, auto& list) {
  return std::ranges::find(list, text) != list.end();
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

json::value ResolveScalar(std::string_view text) {
  if (IsOneOf(text, kNulls)) return nullptr;
  if (IsOneOf(text, kTrues)) return true;
  if (IsOneOf(text, kFalses)) return false;
  if (const auto whole = ParseInt(text); whole && std::to_string(*whole) == text) return *whole;
  if (const auto number = ParseDouble(text); number && ToJson(*number) == text) return *number;
  return json::string(text);
}

bool LooksNumeric(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty()) return false;
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || digits.front() < '0' || digits.front() > '9') return false;
  return digits.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
}

bool IsScalar(const json::value& value) {
  return value.is_string() || value.is_number() || value.is_bool();
}

std::string ScalarText(const json::value& value) {
  if (const auto* text = value.if_string()) return std::string(*text);
  return ToJson(value);
}

std::string DescribeValue(const json::value& value) {
  if (value.is_null()) return "nothing";
  if (value.is_array()) return "a list";
  if (value.is_object()) return "a map";
  if (!value.is_string()) return ToJson(value);
  const std::string text = ShortText(value.get_string());
  const bool number = LooksNumeric(text) && ResolveScalar(text).is_string();
  return number ? text : '"' + text + '"';
}

std::string ShortText(std::string_view text) {
  constexpr size_t kLongest = 60;
  if (text.size() <= kLongest) return Printable(text);
  size_t end = kLongest;
  while (end > 0 && IsContinuation(text[end])) --end;
  return Printable(text.substr(0, end)) + "…";
}

}  // namespace muster
