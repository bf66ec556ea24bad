#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::dialect {

// Flags among the words of a command that is to be changed. '-' and '_' inside of names are the
// same, as they are to Python's launchers.
bool IsFlag(std::string_view word, std::string_view name);
bool HasFlag(const std::vector<std::string>& argv, std::string_view name);

// Takes --name=value or --name value out of the words; its value, or nothing when it is not there.
std::optional<std::string> TakeFlag(std::vector<std::string>& argv, std::string_view name);

}  // namespace muster::dialect
