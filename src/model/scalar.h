#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace muster {

// What a plain scalar stands for by the core rules of YAML 1.2: null, true, false, a number, else
// text. A number becomes one only when it is written back the same way; 1e-4, 007 or 2^70 stay
// text, so that a parameter reaches the user's program as it was spelled.
json::value ResolveScalar(std::string_view text);

// True for text that spells a number in any way that ResolveScalar keeps as text.
bool LooksNumeric(std::string_view text);

bool IsScalar(const json::value& value);  // text, number, true or false; not null

// The text of a scalar as a command line shows it. Precondition: IsScalar.
std::string ScalarText(const json::value& value);

// For Fault::found: "\"npu:x\"", "-3", "a list", "nothing".
std::string DescribeValue(const json::value& value);

// Printable, and cut at about 60 characters.
std::string ShortText(std::string_view text);

}  // namespace muster
