#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/json.h"

namespace muster::metrics {

// Values by name. NaN and infinities are values: a run that diverged shows them.
using Values = std::map<std::string, double>;

inline constexpr size_t kMaxNames = 64;  // a run that invents names must not fill memory
inline constexpr size_t kMaxNameLength = 64;

// JSON has no NaN and no infinities: they are the strings "nan", "inf" and "-inf".
json::value NumberToJson(double value);
// A number, or one of these strings in any common spelling.
std::optional<double> NumberFromJson(const json::value& value);
json::object ToJsonObject(const Values& values);
Values ValuesFromJson(const json::object& object);

}  // namespace muster::metrics
