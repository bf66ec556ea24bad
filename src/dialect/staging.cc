#include "dialect/staging.h"

#include <algorithm>

#include <fmt/format.h>

#include "dialect/command.h"
#include "model/source.h"

namespace muster::dialect {

namespace {

InputOrder OrderOf(const JobSpec& spec, const std::pair<std::string, std::string>& input,
                   const Places& places) {
  const auto& [name, url] = input;
  std::string folder = name;
  // Slashes must not lead to another folder, and distinct names must stay distinct.
  if (name.contains('/')) {
    std::ranges::replace(folder, '/', '_');
    const auto at = std::ranges::find(spec.inputs, input) - spec.inputs.begin();
    folder += fmt::format("_{}", at);
  }
  return {name, url, fmt::format("{}/inputs/{}", places.attempt_dir, folder), FarName(url)};
}

}  // namespace

std::string InputPath(const JobSpec& spec, const std::pair<std::string, std::string>& input,
                      const Places& places) {
  if (!spec.IsFetched(input)) return PlainPath(input.second);
  const InputOrder order = OrderOf(spec, input, places);
  return order.leaf.empty() ? order.folder : order.folder + "/" + order.leaf;
}

// No input can have this name.
std::string FetchedCode(const Places& places) { return places.attempt_dir + "/inputs/=code"; }

std::optional<Staging> StagingOf(const JobSpec& spec, const Places& places) {
  Staging staging{.token = places.token,
                  .attempt_dir = places.attempt_dir,
                  .data_dir = places.data_dir,
                  .cache_limit = places.cache_limit,
                  .inputs = {},
                  .destinations = {}};
  if (IsFar(spec.code)) staging.inputs.push_back({"", spec.code, FetchedCode(places), ""});
  for (const auto& input : spec.inputs)
    if (spec.IsFetched(input)) staging.inputs.push_back(OrderOf(spec, input, places));
  for (const Publishing& output : spec.published)
    staging.destinations.push_back(
        {output.name, PlainPath(WithJobId(output.to, places.job)), output.overwrite});
  if (IsFar(spec.logs)) staging.destinations.push_back({"", WithJobId(spec.logs, places.job)});
  if (staging.inputs.empty() && staging.destinations.empty()) return std::nullopt;
  return staging;
}

}  // namespace muster::dialect
