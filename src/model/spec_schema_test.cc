#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/spec_fields.h"
#include "model/spec_reader.h"
#include "model/spec_samples.h"

namespace muster {
namespace {

bool IsType(const json::value& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_bool();
  if (type == "null") return value.is_null();
  if (type == "integer") return value.is_int64();
  return type == "number" && value.is_number();
}

bool Fits(const json::value& value, const json::object& schema);

bool FitsType(const json::value& value, const json::value& type) {
  if (type.is_string()) return IsType(value, type.get_string());
  return std::ranges::any_of(
      type.get_array(), [&](const json::value& one) { return IsType(value, one.get_string()); });
}

bool FitsAny(const json::value& value, const json::array& schemas) {
  return std::ranges::any_of(schemas,
                             [&](const json::value& one) { return Fits(value, one.get_object()); });
}

bool FitsObject(const json::object& object, const json::object& schema) {
  if (const auto* required = GetArray(schema, "required")) {
    for (const json::value& key : *required)
      if (!object.contains(key.get_string())) return false;
  }
  const auto* names = GetObject(schema, "propertyNames");
  const auto* properties = GetObject(schema, "properties");
  const auto* others = schema.if_contains("additionalProperties");
  for (const auto& member : object) {
    if (names != nullptr && !Fits(json::string(member.key()), *names)) return false;
    const auto* property = properties ? GetObject(*properties, member.key()) : nullptr;
    if (property != nullptr) {
      if (!Fits(member.value(), *property)) return false;
    } else if (others != nullptr) {
      if (others->is_bool() ? !others->get_bool() : !Fits(member.value(), others->get_object()))
        return false;
    }
  }
  return object.size() <= size_t(GetInt(schema, "maxProperties", 1'000'000)) &&
         int64_t(object.size()) >= GetInt(schema, "minProperties");
}

bool FitsArray(const json::array& array, const json::object& schema) {
  const auto* items = GetObject(schema, "items");
  const auto fits = [&](const json::value& item) { return Fits(item, *items); };
  return int64_t(array.size()) >= GetInt(schema, "minItems") &&
         int64_t(array.size()) <= GetInt(schema, "maxItems", 1'000'000) &&
         (items == nullptr || std::ranges::all_of(array, fits));
}

bool FitsString(std::string_view text, const json::object& schema) {
  if (int64_t(text.size()) < GetInt(schema, "minLength")) return false;
  const std::string pattern(GetString(schema, "pattern"));
  return std::regex_search(std::string(text), std::regex(pattern));
}

// The subset of JSON Schema that the job file's schema uses.
bool Fits(const json::value& value, const json::object& schema) {
  if (const auto* type = schema.if_contains("type"); type && !FitsType(value, *type)) return false;
  if (const auto* any = GetArray(schema, "anyOf"); any && !FitsAny(value, *any)) return false;
  if (const auto* no = GetObject(schema, "not"); no && Fits(value, *no)) return false;
  if (const auto* options = GetArray(schema, "enum")) {
    if (std::ranges::find(*options, value) == options->end()) return false;
  }
  const auto* condition = GetObject(schema, "if");
  if (condition && Fits(value, *condition) && !Fits(value, *GetObject(schema, "then")))
    return false;
  if (value.is_int64()) {
    const int64_t number = value.get_int64();
    if (number < GetInt(schema, "minimum", INT64_MIN)) return false;
    if (number > GetInt(schema, "maximum", INT64_MAX)) return false;
  }
  if (value.is_string()) return FitsString(value.get_string(), schema);
  if (value.is_object()) return FitsObject(value.get_object(), schema);
  if (value.is_array()) return FitsArray(value.get_array(), schema);
  return true;
}

json::value Document(std::string_view text) {
  auto document = ReadDocument(text, TextFormat::kGuess, nullptr);
  EXPECT_TRUE(document) << text;
  return document ? *document : nullptr;
}

TEST(SpecSchemaTest, AcceptsEveryGoodSampleAndItsNormalForm) {
  const json::object schema = JobFileSchema();
  for (std::string_view sample : kGoodSamples) {
    const json::value document = Document(sample);
    EXPECT_TRUE(Fits(document, schema)) << sample;
    const auto specs = ReadSpecs(document, {});
    ASSERT_TRUE(specs) << FaultText(specs.error(), "sample");
    EXPECT_TRUE(Fits(ToJsonObject(specs->front()), schema)) << ToJson(ToJsonObject(specs->front()));
  }
}

TEST(SpecSchemaTest, RejectsEveryBadSampleLikeTheReader) {
  const json::object schema = JobFileSchema();
  for (std::string_view sample : kBadSamples) {
    const json::value document = Document(sample);
    EXPECT_FALSE(Fits(document, schema)) << sample;
    EXPECT_FALSE(ReadSpecs(document, {})) << sample;
  }
}

TEST(SpecSchemaTest, HasEveryKeyOfTheTableWithADescription) {
  const json::object schema = JobFileSchema();
  const json::object& properties = schema.at("properties").as_object();
  for (const auto& field : JobFields()) {
    ASSERT_TRUE(properties.contains(field.key)) << field.key;
    EXPECT_FALSE(GetString(properties.at(field.key).as_object(), "description").empty());
  }
  EXPECT_EQ(properties.size(), JobFields().size());
  EXPECT_EQ(schema.at("$schema").as_string(), "https://json-schema.org/draft/2020-12/schema");
}

TEST(SpecSchemaTest, PublishesTheDefaults) {
  const json::object schema = JobFileSchema();
  const auto& properties = schema.at("properties").as_object();
  EXPECT_EQ(properties.at("framework").at("default").as_string(), "custom");
  EXPECT_EQ(properties.at("retries").at("default").as_int64(), 0);
  EXPECT_EQ(properties.at("stop").at("properties").at("grace").at("default").as_string(), "10s");
}

}  // namespace
}  // namespace muster
