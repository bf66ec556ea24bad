#include "model/staging.h"

#include <span>

#include <fmt/format.h>

namespace muster {
namespace {

constexpr int kVersion = 1;

// The members of a list; none for other values.
std::span<const json::value> Members(const json::object& from, std::string_view key) {
  const auto* list = GetArray(from, key);
  if (list == nullptr) return {};
  return {list->data(), list->size()};
}

}  // namespace

json::object ToJsonObject(const Staging& staging) {
  json::array inputs, destinations;
  for (const auto& [name, url, folder, leaf] : staging.inputs)
    inputs.push_back(
        json::object{{"name", name}, {"url", url}, {"folder", folder}, {"leaf", leaf}});
  for (const auto& [name, url, overwrite] : staging.destinations)
    destinations.push_back(json::object{{"name", name}, {"url", url}, {"overwrite", overwrite}});
  return {{"version", kVersion},
          {"token", staging.token},
          {"attempt_dir", staging.attempt_dir},
          {"data_dir", staging.data_dir},
          {"cache_limit", staging.cache_limit},
          {"inputs", std::move(inputs)},
          {"destinations", std::move(destinations)}};
}

Result<Staging> StagingFromJson(const json::value& value) {
  const auto* object = value.if_object();
  if (object == nullptr) return Fail(Code::kCorrupt, "staging must be a JSON object");
  if (const int64_t version = GetInt(*object, "version"); version != kVersion)
    return Fail(
        Code::kInvalid,
        fmt::format("staging of version {}, this launcher knows version {}", version, kVersion),
        "use the same muster on the server and on the nodes");
  const auto text = [](const json::object& from, std::string_view key) {
    return std::string(GetString(from, key));
  };
  Staging staging{.token = text(*object, "token"),
                  .attempt_dir = text(*object, "attempt_dir"),
                  .data_dir = text(*object, "data_dir"),
                  .cache_limit = GetInt(*object, "cache_limit"),
                  .inputs = {},
                  .destinations = {}};
  if (staging.token.empty() || staging.attempt_dir.empty() || staging.data_dir.empty())
    return Fail(Code::kCorrupt, "staging without token, attempt_dir or data_dir");
  for (const json::value& one : Members(*object, "inputs")) {
    const auto* input = one.if_object();
    if (input == nullptr || text(*input, "folder").empty())
      return Fail(Code::kCorrupt, "staging with an input that has no folder");
    staging.inputs.push_back(
        {text(*input, "name"), text(*input, "url"), text(*input, "folder"), text(*input, "leaf")});
  }
  for (const json::value& one : Members(*object, "destinations")) {
    const auto* place = one.if_object();
    if (place == nullptr || text(*place, "url").empty())
      return Fail(Code::kCorrupt, "staging with a destination that is nowhere");
    staging.destinations.push_back(
        {text(*place, "name"), text(*place, "url"), GetBool(*place, "overwrite")});
  }
  return staging;
}

}  // namespace muster
