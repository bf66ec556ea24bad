#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "model/scalar.h"
#include "model/value_types.h"

namespace muster {
namespace {

constexpr int64_t kMaxDevices = 1024;
constexpr std::string_view kDevicesForm = "KIND:COUNT such as npu:8";

// Handles mistakes such as "npu:x" and "8npu": the hint contains the user's words where they are
// usable.
std::string DevicesHint(std::string_view text) {
  const auto digits = [](char c) { return c >= '0' && c <= '9'; };
  if (!text.empty() && std::ranges::all_of(text, digits)) return "say of which kind, as in gpu:8";
  if (kKindRule.Fits(text)) return fmt::format("say how many, as in {}:1", text);
  return {};
}

std::optional<DeviceRequest> ReadShortDevices(const Cursor& at) {
  const auto text = at.Text(kDevicesForm);
  if (!text) return std::nullopt;
  const auto refuse = [&](std::string expected, std::string hint) {
    at.reading.AddFault(at.path, DescribeValue(ResolveScalar(*text)), std::move(expected),
                        std::move(hint));
    return std::nullopt;
  };
  const size_t colon = text->find(':');
  if (colon == std::string::npos) return refuse(std::string(kDevicesForm), DevicesHint(*text));
  const std::string kind = text->substr(0, colon);
  const auto count = ParseInt(std::string_view(*text).substr(colon + 1));
  if (!kKindRule.Fits(kind)) {
    const std::string lower = Lower(kind);
    return refuse(std::string(kDevicesForm),
                  kKindRule.Fits(lower) ? fmt::format("write {} in small letters", lower) : "");
  }
  if (!count) return refuse(std::string(kDevicesForm), "");
  if (*count < 1 || *count > kMaxDevices) {
    return refuse(fmt::format("{}:COUNT with COUNT from 1 to {}", kind, kMaxDevices), "");
  }
  return DeviceRequest{.kind = kind, .count = int(*count)};
}

std::optional<DeviceRequest> ReadLongDevices(const Cursor& at, const json::object& object) {
  DeviceRequest request;
  bool good = true;
  for (const auto& member : object) {
    const Cursor inner = at.At(member.value(), member.key());
    if (member.key() == "kind") {
      const auto kind = Word{kKindRule}.Read(inner);
      good = good && kind;
      if (kind) request.kind = *kind;
    } else if (member.key() == "count") {
      const auto count = WholeNumber{1, kMaxDevices}.Read(inner);
      good = good && count;
      if (count) request.count = int(*count);
    } else {
      constexpr std::array<std::string_view, 2> kKeys = {"kind", "count"};
      at.reading.AddFault(inner.path, "an unknown key", "kind or count",
                          at.reading.Suggest(member.key(), kKeys));
      good = false;
    }
  }
  if (good) return request;
  return std::nullopt;
}

std::string KeyHint(std::string_view key, const WordRule& rule) {
  std::string_view bare = key;
  while (bare.starts_with('-')) bare.remove_prefix(1);
  if (bare.size() == key.size() || !rule.Fits(bare)) return {};
  return fmt::format("write it without the dashes: {}", bare);
}

std::optional<std::string> ReadEntry(const Cursor& at, EntryValue form, UnknownName unknown) {
  const auto* list = form == EntryValue::kScalarOrList ? at.value.if_array() : nullptr;
  if (list == nullptr) {
    return at.Text(form == EntryValue::kScalar ? "a text or a number"
                                               : "a text, a number, true, false, or a list of them",
                   unknown);
  }
  std::string joined;
  for (size_t i = 0; i < list->size(); ++i) {
    const auto text = at.Item((*list)[i], i).Text("a text or a number", unknown);
    if (!text) return std::nullopt;
    joined += (i > 0 ? "," : "") + *text;
  }
  return joined;
}

}  // namespace

bool CheckKey(const Cursor& at, std::string_view key, const WordRule& rule) {
  if (!rule.Fits(key)) {
    at.reading.AddFault(at.path, fmt::format("the name \"{}\"", ShortText(key)),
                        std::string(rule.expected), KeyHint(key, rule));
    return false;
  }
  if (&rule == &kEnvRule && key.starts_with("MUSTER_")) {
    at.reading.AddFault(at.path, fmt::format("the name \"{}\"", ShortText(key)),
                        "a name that does not begin with MUSTER_",
                        "those variables are set for every rank by Muster itself");
    return false;
  }
  return true;
}

std::optional<DeviceRequest> Devices::Read(const Cursor& at) const {
  if (const auto* object = at.value.if_object()) return ReadLongDevices(at, *object);
  return ReadShortDevices(at);
}

json::object Devices::Schema() const {
  const json::object text = {{"type", "string"}, {"pattern", "^[a-z][a-z0-9_-]{0,31}:[0-9]+$"}};
  const json::object parts = {
      {"type", "object"},
      {"properties", json::object{{"kind", Word{kKindRule}.Schema()},
                                  {"count", WholeNumber{1, kMaxDevices}.Schema()}}},
      {"additionalProperties", false}};
  const json::object variable = {{"type", "string"}, {"pattern", "\\$\\{"}};
  return {{"anyOf", json::array{text, variable, parts}}};
}

std::optional<Command> CommandLine::Read(const Cursor& at) const {
  constexpr std::string_view kExpected = "a command, as a text or as a list of words";
  Command command;
  const auto* list = at.value.if_array();
  if (list == nullptr) {
    const auto text = FreeText{kExpected, UnknownName::kKeep}.Read(at);
    if (!text) return std::nullopt;
    if (auto words = ShellSplit(*text); !NeedsShell(*text) && !words) {
      at.reading.AddFault(at.path, words.error().text, "a command with its quotes closed");
      return std::nullopt;
    }
    command.text = *text;
    return command;
  }
  for (size_t i = 0; i < list->size(); ++i) {
    const auto word = at.Item((*list)[i], i).Text("a word of the command", UnknownName::kKeep);
    if (!word) return std::nullopt;
    command.words.push_back(*word);
  }
  if (!command.words.empty() && !command.words.front().empty()) return command;
  at.reading.AddFault(at.path, command.words.empty() ? "an empty list" : "an empty first word",
                      std::string(kExpected));
  return std::nullopt;
}

json::object CommandLine::Schema() const {
  const json::array scalars = {"string", "number", "boolean"};
  const json::object text = {{"type", scalars}, {"minLength", 1}};
  const json::object words = {
      {"type", "array"}, {"minItems", 1}, {"items", json::object{{"type", scalars}}}};
  return {{"anyOf", json::array{text, words}}};
}

std::optional<Pairs> Entries::Read(const Cursor& at) const {
  Pairs pairs;
  if (at.value.is_null()) return pairs;  // all members are commented out
  const auto* object = at.value.if_object();
  if (object == nullptr) {
    at.Fault("a map of names and values");
    return std::nullopt;
  }
  bool good = true;
  for (const auto& member : *object) {
    const Cursor inner = at.At(member.value(), member.key());
    const bool good_key = CheckKey(inner, member.key(), key);
    const auto text = ReadEntry(inner, value, unknown);
    good = good && good_key && text;
    if (good) pairs.emplace_back(std::string(member.key()), *text);
  }
  if (good) return pairs;
  return std::nullopt;
}

json::object Entries::Schema() const {
  const json::array scalars = {"string", "number", "boolean"};
  json::object entry = {{"type", scalars}};
  if (value == EntryValue::kScalarOrList) {
    entry = {{"type", json::array{"string", "number", "boolean", "array"}},
             {"items", json::object{{"type", scalars}}}};
  }
  json::object names = {{"pattern", key.Pattern()}};
  if (&key == &kEnvRule) names["not"] = json::object{{"pattern", "^MUSTER_"}};
  return {{"type", json::array{"object", "null"}},
          {"propertyNames", std::move(names)},
          {"additionalProperties", std::move(entry)}};
}

}  // namespace muster
