#include "model/env_entries.h"

#include <fmt/format.h>

#include "model/shell_env.h"

namespace muster {
namespace {

const Entries kValues{kEnvRule, EntryValue::kScalar, UnknownName::kKeep};

constexpr std::string_view kItem = "inherit, the name of a variable, or NAME=VALUE";

// One item of a list; adds its value, if it has one.
bool ReadItem(const Cursor& at, Pairs& values) {
  const auto* text = at.value.if_string();
  if (text == nullptr) {
    at.Fault(std::string(kItem));
    return false;
  }
  const std::string_view words = *text;
  const size_t equals = words.find('=');
  if (equals == std::string_view::npos) {
    const auto choice = ParseEnvChoice(words);
    if (!choice || words == "none" || words.contains(',')) {
      at.Fault(std::string(kItem));
      return false;
    }
    return true;
  }
  const std::string name(words.substr(0, equals));
  if (!CheckKey(at, name, kEnvRule)) return false;
  const json::value map = json::object{{name, words.substr(equals + 1)}};
  const auto pairs = kValues.Read({at.reading, map, at.path, at.built_ins});
  if (!pairs) return false;
  values.insert(values.end(), pairs->begin(), pairs->end());
  return true;
}

}  // namespace

std::optional<Pairs> EnvEntries::Read(const Cursor& at) const {
  if (const auto* word = at.value.if_string()) {
    if (*word == "inherit" || *word == "none") return Pairs{};
    at.Fault("a map of names and values, inherit, none, or a list of names");
    return std::nullopt;
  }
  const auto* list = at.value.if_array();
  if (list == nullptr) return kValues.Read(at);
  Pairs values;
  bool good = true;
  for (size_t i = 0; i < list->size(); ++i) good = ReadItem(at.Item((*list)[i], i), values) && good;
  return good ? std::optional(std::move(values)) : std::nullopt;
}

json::object EnvEntries::Schema() const {
  json::object schema = kValues.Schema();
  schema["type"] = json::array{"object", "null", "array", "string"};
  schema["pattern"] = "^(inherit|none)$";
  schema["items"] = json::object{{"type", "string"}};
  return schema;
}

}  // namespace muster
