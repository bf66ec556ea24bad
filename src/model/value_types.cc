#include "model/value_types.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "model/scalar.h"

namespace muster {
namespace {

constexpr std::array<std::string_view, 14> kSignals = {"HUP",  "INT",   "QUIT",   "USR1", "USR2",
                                                       "ALRM", "TERM",  "CONT",   "TSTP", "URG",
                                                       "XCPU", "WINCH", "VTALRM", "none"};

// `set` as in the brackets of a pattern: characters and ranges, with '-' last.
bool InSet(std::string_view set, char c) {
  for (size_t i = 0; i < set.size(); ++i) {
    const bool range = i + 2 < set.size() && set[i + 1] == '-';
    if (range ? c >= set[i] && c <= set[i + 2] : c == set[i]) return true;
    if (range) i += 2;
  }
  return false;
}

// A field for numbers, booleans and similar also accepts text with a variable, and then uses the
// expanded value.
std::optional<json::value> Resolved(const Cursor& at, std::string_view expected) {
  const auto* text = at.value.if_string();
  if (text == nullptr || text->find("${") == std::string::npos) return at.value;
  const auto expanded = at.Text(expected);
  if (!expanded) return std::nullopt;
  return ResolveScalar(*expanded);
}

std::string QuotedList(std::span<const std::string_view> words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

json::array ToArray(std::span<const std::string_view> words) {
  json::array array;
  for (std::string_view word : words) array.emplace_back(word);
  return array;
}

json::object Described(std::string_view type, std::string_view description) {
  return {{"type", type}, {"description", description}};
}

}  // namespace

const WordRule kNameRule = {"A-Za-z0-9", "A-Za-z0-9._-", 63,
                            "at most 63 letters, digits, dots, underscores and dashes, the first "
                            "one a letter or digit"};
const WordRule kParameterRule = {"A-Za-z0-9_", "A-Za-z0-9_.:/-", 128,
                                 "a name of letters, digits and _ . : / -, at most 128 of them"};
const WordRule kEnvRule = {"A-Za-z_", "A-Za-z0-9_", 128,
                           "letters, digits and underscores, not a digit first"};
const WordRule kKindRule = {"a-z", "a-z0-9_-", 32, "a kind of device such as cpu, gpu or npu"};

bool WordRule::Fits(std::string_view word) const {
  if (word.empty() || word.size() > longest || !InSet(first, word.front())) return false;
  return std::ranges::all_of(word.substr(1), [this](char c) { return InSet(rest, c); });
}

std::string WordRule::Pattern() const {
  return fmt::format("^[{}][{}]{{0,{}}}$", first, rest, longest - 1);
}

json::object OrVariable(json::object schema) {
  json::object variable = {{"type", "string"}, {"pattern", "\\$\\{"}};
  return {{"anyOf", json::array{std::move(schema), std::move(variable)}}};
}

std::optional<int64_t> WholeNumber::Read(const Cursor& at) const {
  const std::string expected = min == max ? fmt::format("the number {}", min)
                               : max == std::numeric_limits<int64_t>::max()
                                   ? fmt::format("a whole number from {}", min)
                                   : fmt::format("a whole number from {} to {}", min, max);
  const auto value = Resolved(at, expected);
  if (!value) return std::nullopt;
  if (value->is_int64() && value->get_int64() >= min && value->get_int64() <= max) {
    return value->get_int64();
  }
  std::string hint;
  if (const auto* text = value->if_string(); text && ResolveScalar(*text).is_int64()) {
    hint = "write it without quotes";
  }
  at.reading.AddFault(at.path, DescribeValue(*value), expected, hint);
  return std::nullopt;
}

json::object WholeNumber::Schema() const {
  json::object schema = {{"type", "integer"}, {"minimum", min}};
  if (max != std::numeric_limits<int64_t>::max()) schema["maximum"] = max;
  return OrVariable(std::move(schema));
}

std::optional<bool> YesOrNo::Read(const Cursor& at) const {
  const auto value = Resolved(at, "true or false");
  if (!value) return std::nullopt;
  if (const auto* truth = value->if_bool()) return *truth;
  std::string hint;
  if (const auto* text = value->if_string()) {
    const std::string lower = Lower(*text);
    if (lower == "yes" || lower == "on" || lower == "y" || lower == "true") {
      hint = fmt::format("\"{}\" is text in YAML 1.2: write true", ShortText(*text));
    } else if (lower == "no" || lower == "off" || lower == "n" || lower == "false") {
      hint = fmt::format("\"{}\" is text in YAML 1.2: write false", ShortText(*text));
    }
  }
  at.reading.AddFault(at.path, DescribeValue(*value), "true or false", hint);
  return std::nullopt;
}

json::object YesOrNo::Schema() const { return OrVariable({{"type", "boolean"}}); }

std::optional<std::string> Word::Read(const Cursor& at) const {
  auto text = at.Text(rule.expected);
  if (!text || rule.Fits(*text)) return text;
  at.reading.AddFault(at.path, DescribeValue(json::string(*text)), std::string(rule.expected));
  return std::nullopt;
}

json::object Word::Schema() const {
  // A number such as 2024 is also a name.
  return {{"anyOf", json::array{json::object{{"type", "string"}, {"pattern", rule.Pattern()}},
                                json::object{{"type", "string"}, {"pattern", "\\$\\{"}},
                                json::object{{"type", json::array{"number", "boolean"}}}}}};
}

std::optional<std::string> FreeText::Read(const Cursor& at) const {
  auto text = at.Text(expected, unknown);
  if (!text || !Trim(*text).empty()) return text;
  at.reading.AddFault(at.path, "an empty text", std::string(expected));
  return std::nullopt;
}

json::object FreeText::Schema() const {
  return {{"type", json::array{"string", "number", "boolean"}}, {"minLength", 1}};
}

std::optional<std::string> Choice::Read(const Cursor& at) const {
  const std::string expected = "one of " + QuotedList(options);
  auto text = at.Text(expected);
  if (!text || std::ranges::find(options, *text) != options.end()) return text;
  at.reading.AddFault(at.path, DescribeValue(json::string(*text)), expected,
                      at.reading.Suggest(*text, options));
  return std::nullopt;
}

json::object Choice::Schema() const {
  return OrVariable({{"type", "string"}, {"enum", ToArray(options)}});
}

namespace {

// The bounds of a field as a user writes them: "1s", "366d".
std::string WholeUnits(int64_t ms) {
  constexpr std::pair<int64_t, char> kUnits[] = {
      {86'400'000, 'd'}, {3'600'000, 'h'}, {60'000, 'm'}};
  for (const auto& [length, unit] : kUnits)
    if (ms > 0 && ms % length == 0) return fmt::format("{}{}", ms / length, unit);
  return fmt::format("{}s", ms / 1000);
}

}  // namespace

std::optional<int64_t> Duration::Read(const Cursor& at) const {
  const std::string expected =
      fmt::format("a duration from {} to {}, such as 90s, 15m, 2h or 01:30:00", WholeUnits(min_ms),
                  WholeUnits(max_ms));
  const auto text = at.Text(expected);
  if (!text) return std::nullopt;
  const auto ms = ParseDuration(*text);
  if (ms && *ms >= min_ms && *ms <= max_ms) return *ms;
  at.reading.AddFault(at.path, DescribeValue(ResolveScalar(*text)), expected,
                      ms ? "" : "a plain number counts seconds");
  return std::nullopt;
}

json::object Duration::Schema() const {
  return {{"type", json::array{"string", "number"}}, {"minimum", min_ms / 1000}};
}

std::optional<int64_t> ByteCount::Read(const Cursor& at) const {
  constexpr int64_t kLeast = int64_t{1} << 20;
  const std::string expected = "a size of at least 1 MiB, such as 512MiB or 16G";
  const auto text = at.Text(expected);
  if (!text) return std::nullopt;
  const auto bytes = ParseSize(*text);
  if (bytes && *bytes >= kLeast) return *bytes;
  at.reading.AddFault(at.path, DescribeValue(ResolveScalar(*text)), expected,
                      bytes ? "a plain number counts bytes" : "");
  return std::nullopt;
}

json::object ByteCount::Schema() const {
  return {{"type", json::array{"string", "integer"}}, {"minimum", int64_t{1} << 20}};
}

std::optional<std::string> Signal::Read(const Cursor& at) const {
  const std::string expected = "a signal such as USR1, TERM or INT, or none";
  const auto text = at.Text(expected);
  if (!text) return std::nullopt;
  std::string name = *text;
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
  if (name == "NONE") return "";
  if (name.starts_with("SIG")) name.erase(0, 3);
  if (std::ranges::find(kSignals, name) != kSignals.end()) return name;
  const bool deadly = name == "KILL" || name == "STOP";
  at.reading.AddFault(at.path, DescribeValue(json::string(*text)), expected,
                      deadly ? "a program cannot catch it, so it warns of nothing"
                             : at.reading.Suggest(name, kSignals));
  return std::nullopt;
}

json::object Signal::Schema() const {
  return Described("string", fmt::format("one of {}", QuotedList(kSignals)));
}

}  // namespace muster
