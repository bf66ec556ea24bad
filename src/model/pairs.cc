#include "model/pairs.h"

namespace muster {

json::object PairsToJson(const Pairs& pairs) {
  json::object object;
  for (const auto& [name, value] : pairs) object[name] = value;
  return object;
}

Pairs PairsFromJson(const json::object* object) {
  Pairs pairs;
  if (object == nullptr) return pairs;
  for (const auto& [name, value] : *object)
    if (value.is_string()) pairs.emplace_back(std::string(name), std::string(value.get_string()));
  return pairs;
}

json::array WordsToJson(const std::vector<std::string>& words) {
  return json::array(words.begin(), words.end());
}

std::vector<std::string> WordsFromJson(const json::array* array) {
  std::vector<std::string> words;
  if (array == nullptr) return words;
  for (const auto& item : *array)
    if (item.is_string()) words.emplace_back(item.get_string());
  return words;
}

}  // namespace muster
