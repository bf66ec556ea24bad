#include "metrics/measured.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::metrics {

namespace {

std::string Plain(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                              : fmt::format("{:.4g}", value);
}

std::optional<double> Find(const Values& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::string Count(const Values& values, const std::string& name) {
  const auto value = Find(values, name), total = Find(values, name + "s");
  if (!value) return {};
  return fmt::format("{} {}{}", name, Plain(*value), total ? "/" + Plain(*total) : "");
}

// Where a value was measured, when that is not the current step or epoch.
std::optional<std::pair<const char*, double>> OlderPosition(const Measured& measured,
                                                            const std::string& name) {
  const auto at = measured.at.find(name);
  if (at == measured.at.end()) return std::nullopt;
  const auto step = Find(measured.values, "step"), epoch = Find(measured.values, "epoch");
  if (at->second.step && step && *at->second.step != *step)
    return std::pair("step", *at->second.step);
  if (at->second.epoch && epoch && *at->second.epoch != *epoch)
    return std::pair("epoch", *at->second.epoch);
  return std::nullopt;
}

std::string Age(const Measured& measured, const std::string& name) {
  const auto older = OlderPosition(measured, name);
  return older ? fmt::format(" ({} {})", older->first, Plain(older->second)) : "";
}

bool SameNumber(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

bool Same(const Measured& a, const Measured& b) {
  return a.at == b.at && std::ranges::equal(a.values, b.values, [](const auto& x, const auto& y) {
           return x.first == y.first && SameNumber(x.second, y.second);
         });
}

json::object MeasuredToJson(const Measured& measured) {
  json::object object{{"values", ToJsonObject(measured.values)}};
  json::object positions;
  for (const auto& [name, position] : measured.at)
    if (const auto older = OlderPosition(measured, name))
      positions[name] = json::object{{older->first, NumberToJson(older->second)}};
  if (!positions.empty()) object["at"] = std::move(positions);
  return object;
}

Measured MeasuredFromJson(const json::object& object) {
  Measured measured;
  if (const json::object* values = GetObject(object, "values"))
    measured.values = ValuesFromJson(*values);
  const json::object* positions = GetObject(object, "at");
  if (positions == nullptr) return measured;
  for (const auto& [name, value] : *positions) {
    const json::object* at = value.if_object();
    if (at == nullptr || measured.at.size() >= kMaxNames) continue;
    Position position;
    if (const json::value* step = at->if_contains("step")) position.step = NumberFromJson(*step);
    if (const json::value* epoch = at->if_contains("epoch"))
      position.epoch = NumberFromJson(*epoch);
    measured.at[name] = position;
  }
  return measured;
}

std::string ProgressText(const Measured& measured) {
  const Values& values = measured.values;
  std::vector<std::string> parts;
  const auto add = [&parts](std::string text) {
    if (!text.empty()) parts.push_back(std::move(text));
  };
  add(Count(values, "epoch"));
  add(Count(values, "step"));
  for (const char* name :
       {"loss", "accuracy", "val_loss", "val_accuracy", "test_loss", "test_accuracy"}) {
    const auto value = Find(values, name);
    if (!value) continue;
    const bool percent = std::string_view(name).ends_with("accuracy") && std::isfinite(*value);
    add((percent ? fmt::format("{} {:.1f} %", name, *value * 100)
                 : fmt::format("{} {:.4g}", name, *value)) +
        Age(measured, name));
  }
  if (const auto rate = Find(values, "throughput"))
    add(*rate >= 100 ? fmt::format("{:.0f} items/s", *rate) : fmt::format("{:.3g} items/s", *rate));
  return Join(parts, " · ");
}

}  // namespace muster::metrics
