#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "metrics/values.h"

namespace muster::metrics {

// A line that is one JSON object. NaN, Infinity and -Infinity, which are not JSON but which Python
// writes, become the strings "NaN", "Infinity", "-Infinity".
std::optional<json::object> ParsePythonJson(std::string_view line);
// The same behind the prefix of a logger.
std::optional<json::object> FindJsonObject(std::string_view line);

// The numbers of an object that a program printed. Known names become the common ones; others stay.
// Empty for an object that looks like a configuration.
Values ReadJsonLine(const json::object& object);

}  // namespace muster::metrics
