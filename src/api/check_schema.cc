#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "api/schemas.h"
#include "base/text.h"

namespace muster::api {
namespace {

std::string_view TypeOf(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "boolean";
    case json::kind::int64:
    case json::kind::uint64:
      return "integer";
    case json::kind::double_:
      return "number";
    case json::kind::string:
      return "string";
    case json::kind::array:
      return "array";
    case json::kind::object:
      return "object";
  }
  return "null";
}

class Checker {
 public:
  explicit Checker(std::vector<Fault>& faults) : faults_(faults) {}

  void Check(const json::value& value, const json::object& schema, const std::string& path) {
    if (const std::string_view reference = GetString(schema, "$ref"); !reference.empty())
      return Check(value, Named(reference), path);
    if (!CheckType(value, schema, path)) return;
    CheckEnum(value, schema, path);
    CheckLimits(value, schema, path);
    if (const auto* object = value.if_object()) CheckObject(*object, schema, path);
    if (const auto* array = value.if_array()) CheckArray(*array, schema, path);
  }

  static const json::object& Named(std::string_view reference) {
    const auto* schema = GetObject(Schemas(), reference.substr(reference.rfind('/') + 1));
    assert(schema != nullptr && "a schema names one that is not there");
    return *schema;
  }

 private:
  void Add(const std::string& path, std::string found, std::string expected,
           std::string hint = {}) {
    faults_.push_back({path, 0, 0, std::move(found), std::move(expected), std::move(hint)});
  }

  bool CheckType(const json::value& value, const json::object& schema, const std::string& path) {
    const auto* type = schema.if_contains("type");
    if (type == nullptr) return true;
    const auto fits = [&](const json::value& name) {
      const std::string_view wanted = name.as_string();
      return wanted == TypeOf(value) || (wanted == "number" && value.is_number());
    };
    const auto* several = type->if_array();
    if (several ? std::ranges::any_of(*several, fits) : fits(*type)) return true;
    const std::string wanted(several ? std::string_view(several->front().as_string())
                                     : std::string_view(type->as_string()));
    Add(path, std::string(TypeOf(value)), wanted);
    return false;
  }

  void CheckEnum(const json::value& value, const json::object& schema, const std::string& path) {
    const auto* allowed = GetArray(schema, "enum");
    if (allowed == nullptr || std::ranges::find(*allowed, value) != allowed->end()) return;
    Add(path, ToJson(value), fmt::format("one of {}", ToJson(*allowed)));
  }

  void CheckLimits(const json::value& value, const json::object& schema, const std::string& path) {
    if (const auto* text = value.if_string()) {
      const int64_t limit = GetInt(schema, "maxLength", std::numeric_limits<int64_t>::max());
      if (int64_t(text->size()) > limit)
        Add(path, fmt::format("{} bytes", text->size()), fmt::format("at most {} bytes", limit));
    }
    if (!value.is_number()) return;
    const double number = value.to_number<double>();
    if (schema.contains("minimum") && number < GetDouble(schema, "minimum"))
      Add(path, ToJson(value), fmt::format("{} or more", GetDouble(schema, "minimum")));
  }

  void CheckObject(const json::object& object, const json::object& schema,
                   const std::string& path) {
    static const json::object kNone;
    const auto* listed = GetObject(schema, "properties");
    const json::object& properties = listed ? *listed : kNone;
    if (const auto* required = GetArray(schema, "required"))
      for (const auto& name : *required)
        if (!object.contains(name.as_string()))
          Add(Below(path, name.as_string()), "nothing", "a value");
    const auto* rest = schema.if_contains("additionalProperties");
    for (const auto& [name, member] : object) {
      if (const auto* known = GetObject(properties, name)) {
        Check(member, *known, Below(path, name));
      } else if (rest && rest->is_object()) {
        Check(member, rest->get_object(), Below(path, name));
      } else if (rest) {
        AddUnknown(properties, name, path);
      }
    }
  }

  void AddUnknown(const json::object& properties, std::string_view name, const std::string& path) {
    std::vector<std::string_view> known;
    for (const auto& property : properties) known.push_back(property.key());
    const std::string_view near = DidYouMean(name, known);
    Add(Below(path, name), "an unknown name", fmt::format("one of {}", fmt::join(known, ", ")),
        near.empty() ? "" : fmt::format("did you mean {}?", near));
  }

  void CheckArray(const json::array& array, const json::object& schema, const std::string& path) {
    const auto* items = GetObject(schema, "items");
    if (items == nullptr) return;
    for (size_t i = 0; i < array.size(); ++i)
      Check(array[i], *items, fmt::format("{}[{}]", path, i));
  }

  static std::string Below(const std::string& path, std::string_view name) {
    constexpr size_t kShown = 60;
    const std::string clean = Printable(name.substr(0, kShown));
    return path.empty() ? clean : fmt::format("{}.{}", path, clean);
  }

  std::vector<Fault>& faults_;
};

}  // namespace

std::vector<Fault> CheckSchema(const json::value& value, std::string_view name) {
  std::vector<Fault> faults;
  Checker(faults).Check(value, Checker::Named(name), "");
  return faults;
}

}  // namespace muster::api
