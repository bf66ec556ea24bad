#pragma once

#include "base/json.h"
#include "model/spec.h"

namespace muster {

// Pairs as a JSON object; order kept both ways.
json::object PairsToJson(const Pairs& pairs);
Pairs PairsFromJson(
    const json::object* object);  // null: empty; values that are no strings are left out

json::array WordsToJson(const std::vector<std::string>& words);
std::vector<std::string> WordsFromJson(const json::array* array);

}  // namespace muster
