#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace muster {

// The value of a plain scalar by the core schema of YAML 1.2: null, true, false, a number, else
// text. A number is recognised only if it is written back identically; 1e-4, 007 and 2^70 stay
// text, so that a parameter reaches the program as written.
json::value ResolveScalar(std::string_view text);

// True for numbers that ResolveScalar keeps as text.
bool LooksNumeric(std::string_view text);

bool IsScalar(const json::value& value);  // text, number, true or false; not null

// The text of a scalar for a command line. Precondition: IsScalar.
std::string ScalarText(const json::value& value);

// For Fault::found: "\"npu:x\"", "-3", "a list", "nothing".
std::string DescribeValue(const json::value& value);

// Printable and shortened to about 60 characters.
std::string ShortText(std::string_view text);

}  // namespace muster
