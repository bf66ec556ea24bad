#include "model/store_access.h"

#include <array>

#include <fmt/format.h>

#include "model/document.h"
#include "model/scalar.h"
#include "model/source.h"
#include "model/variables.h"

namespace muster {
namespace {

constexpr std::array<std::string_view, 2> kKeys = {"read", "write"};
constexpr std::string_view kForm = "s3://BUCKET/PREFIX, obs://BUCKET/PREFIX, or \"*\"";
constexpr size_t kMostPlaces = 40;

std::optional<std::string> ReadPlace(const Cursor& at) {
  auto text = at.Text(kForm);
  if (!text || *text == "*") return text;
  std::string_view fault = IsBucket(*text) ? FarFault(*text) : "";
  if (fault.empty() && text->find('@') != std::string::npos) {
    fault = "PROFILE@BUCKET is in another store, which has keys of its own";
  }
  if (IsBucket(*text) && fault.empty()) return text;
  at.reading.AddFault(at.path, DescribeValue(json::string(*text)), std::string(kForm),
                      std::string(fault));
  return std::nullopt;
}

bool ReadPlaces(const Cursor& at, std::vector<std::string>& places) {
  const auto* list = at.value.if_array();
  if (list == nullptr) {
    const auto place = ReadPlace(at);
    if (place) places.push_back(*place);
    return place.has_value();
  }
  if (list->size() > kMostPlaces) {
    at.reading.AddFault(at.path, fmt::format("{} places", list->size()),
                        fmt::format("at most {}", kMostPlaces));
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < list->size(); ++i) {
    const auto place = ReadPlace(at.Item((*list)[i], i));
    good = good && place;
    if (place) places.push_back(*place);
  }
  return good;
}

}  // namespace

std::optional<StoreAccess> StoreAccessMap::Read(const Cursor& at) const {
  StoreAccess access;
  if (at.value.is_null()) return access;
  const auto* object = at.value.if_object();
  if (object == nullptr) {
    at.Fault("a map such as {read: [s3://BUCKET/PREFIX], write: [s3://BUCKET]}");
    return std::nullopt;
  }
  bool good = true;
  for (const auto& member : *object) {
    const Cursor inner = at.At(member.value(), member.key());
    if (member.key() == "read" || member.key() == "write") {
      good = ReadPlaces(inner, member.key() == "read" ? access.read : access.write) && good;
    } else {
      at.reading.AddFault(inner.path, "an unknown key", "read or write",
                          at.reading.Suggest(member.key(), kKeys));
      good = false;
    }
  }
  return good ? std::optional(access) : std::nullopt;
}

json::object StoreAccessMap::Schema() const {
  const json::object place = {{"type", "string"}, {"pattern", "^(\\*$|s3://|obs://|.*\\$\\{)"}};
  const json::object places = {{"anyOf", json::array{place, json::object{{"type", "array"},
                                                                         {"maxItems", kMostPlaces},
                                                                         {"items", place}}}}};
  return {{"type", json::array{"object", "null"}},
          {"properties", json::object{{"read", places}, {"write", places}}},
          {"additionalProperties", false}};
}

json::object ToJsonObject(const StoreAccess& access) {
  json::object object;
  for (const auto& [key, places] :
       {std::pair("read", &access.read), std::pair("write", &access.write)}) {
    json::array array;
    for (const std::string& place : *places) array.emplace_back(EscapeVariables(place));
    object[key] = std::move(array);
  }
  return object;
}

}  // namespace muster
