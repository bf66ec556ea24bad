#pragma once

#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "base/result.h"

namespace muster {

namespace json = boost::json;

// Parses one JSON value. kInvalid with line and column for any other text, and for nesting deeper
// than 64.
Result<json::value> ParseJson(std::string_view text);

// One line without blanks. Invalid UTF-8 becomes U+FFFD, NaN and infinities become null, and
// numbers have no exponent where possible (0.25, not 2.5E-1).
std::string ToJson(const json::value& value);

// As ToJson, on several lines with an indent of two blanks and a final newline, for files that
// people read.
std::string ToPrettyJson(const json::value& value);

// Read a member of an object; return the fallback if it is missing or has another type.
std::string_view GetString(const json::object& object, std::string_view key,
                           std::string_view fallback = {});
int64_t GetInt(const json::object& object, std::string_view key, int64_t fallback = 0);
double GetDouble(const json::object& object, std::string_view key, double fallback = 0);
bool GetBool(const json::object& object, std::string_view key, bool fallback = false);
const json::object* GetObject(const json::object& object, std::string_view key);
const json::array* GetArray(const json::object& object, std::string_view key);

}  // namespace muster
