#pragma once

#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "base/result.h"

namespace muster {

namespace json = boost::json;

// Parses one JSON text. Fails with kInvalid, line and column named, on anything but one whole
// value; nesting deeper than 64 is refused.
Result<json::value> ParseJson(std::string_view text);

// One line without blanks. Invalid UTF-8 becomes U+FFFD, NaN and infinities become null, numbers
// are written the way people do (0.25, not 2.5E-1).
std::string ToJson(const json::value& value);

// The same over several lines, two blanks an indent, newline at the end; for files people read.
std::string ToPrettyJson(const json::value& value);

// Reading members of an object that may lack them or hold another type: the fallback then.
std::string_view GetString(const json::object& object, std::string_view key,
                           std::string_view fallback = {});
int64_t GetInt(const json::object& object, std::string_view key, int64_t fallback = 0);
double GetDouble(const json::object& object, std::string_view key, double fallback = 0);
bool GetBool(const json::object& object, std::string_view key, bool fallback = false);
const json::object* GetObject(const json::object& object, std::string_view key);
const json::array* GetArray(const json::object& object, std::string_view key);

}  // namespace muster
