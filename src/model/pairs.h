#pragma once

#include "base/json.h"
#include "model/spec.h"

namespace muster {

// Pairs as a JSON object; the order is kept in both directions.
json::object PairsToJson(const Pairs& pairs);
Pairs PairsFromJson(const json::object* object);  // null yields an empty list; values that are not
                                                  // strings are omitted

json::array WordsToJson(const std::vector<std::string>& words);
std::vector<std::string> WordsFromJson(const json::array* array);

}  // namespace muster
