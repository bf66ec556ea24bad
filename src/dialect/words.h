#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::dialect {

// Flags in the words of a command that is modified. '-' and '_' in names are equal, as in Python's
// launchers.
bool IsFlag(std::string_view word, std::string_view name);
bool HasFlag(const std::vector<std::string>& argv, std::string_view name);

// Removes --name=value or --name value from the words and returns the value; nothing if absent.
std::optional<std::string> TakeFlag(std::vector<std::string>& argv, std::string_view name);

}  // namespace muster::dialect
