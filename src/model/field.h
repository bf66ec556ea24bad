#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "model/reading.h"

namespace muster {

// Reading order: sizes first, because ${nodes}, ${devices} and ${ranks} refer to them; then the
// name, for ${name}.
enum class Stage { kSizes, kName, kRest };

template <typename T>
struct Field {
  std::string_view key;
  std::string_view summary;
  json::object schema;
  std::function<void(const Cursor& at, Stage stage, T& target)> read;
  std::vector<Stage> stages = {Stage::kRest};
};
template <typename T>
using Fields = std::vector<Field<T>>;

template <typename T>
std::vector<std::string_view> Keys(const Fields<T>& fields) {
  std::vector<std::string_view> keys;
  for (const Field<T>& field : fields) keys.push_back(field.key);
  return keys;
}

// Reports a fault for every member that is not one of the keys.
void RefuseUnknownKeys(const Cursor& at, const json::object& object,
                       std::span<const std::string_view> keys);

// Reads the members of a map by their table: all fields, or those of one stage. Unknown keys are
// reported in the first stage.
template <typename T>
void ReadFields(const Cursor& at, const Fields<T>& fields, std::optional<Stage> stage, T& target) {
  if (at.value.is_null()) return;  // all members are commented out
  const auto* object = at.value.if_object();
  if (object == nullptr) return at.Fault("a map of keys and values");
  for (const Field<T>& field : fields) {
    const auto* member = object->if_contains(field.key);
    if (member == nullptr) continue;
    const bool due = !stage || std::ranges::find(field.stages, *stage) != field.stages.end();
    if (due) field.read(at.At(*member, field.key), stage.value_or(Stage::kRest), target);
  }
  if (stage.value_or(Stage::kSizes) == Stage::kSizes) RefuseUnknownKeys(at, *object, Keys(fields));
}

// The JSON Schema of a map with the fields of a table.
template <typename T>
json::object TableSchema(const Fields<T>& fields) {
  json::object properties;
  for (const Field<T>& field : fields) {
    json::object schema = field.schema;
    schema["description"] = field.summary;
    properties[field.key] = std::move(schema);
  }
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

}  // namespace muster
