#include "metrics/values.h"

#include <cmath>
#include <limits>

#include "base/text.h"

namespace muster::metrics {

json::value NumberToJson(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

std::optional<double> NumberFromJson(const json::value& value) {
  if (value.is_double()) return value.get_double();
  if (value.is_int64()) return double(value.get_int64());
  if (value.is_uint64()) return double(value.get_uint64());
  const json::string* text = value.if_string();
  if (text == nullptr || text->size() > 16) return std::nullopt;
  const std::string word = Lower(std::string_view(*text));
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  if (word == "inf" || word == "infinity" || word == "+inf") return infinity;
  if (word == "-inf" || word == "-infinity") return -infinity;
  return std::nullopt;
}

json::object ToJsonObject(const Values& values) {
  json::object object;
  for (const auto& [name, value] : values) object[name] = NumberToJson(value);
  return object;
}

Values ValuesFromJson(const json::object& object) {
  Values values;
  for (const auto& member : object) {
    if (values.size() >= kMaxNames) break;
    if (const auto number = NumberFromJson(member.value())) values.emplace(member.key(), *number);
  }
  return values;
}

}  // namespace muster::metrics
