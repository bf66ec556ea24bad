#include "metrics/measured.h"

#include <algorithm>
#include <array>
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

constexpr size_t kMostReported = 6;
constexpr std::array kCommon{"loss",         "accuracy",  "val_loss",
                             "val_accuracy", "test_loss", "test_accuracy"};

bool IsCount(std::string_view name) {
  return name == "step" || name == "steps" || name == "epoch" || name == "epochs";
}

bool IsCommon(std::string_view name) {
  return IsCount(name) || name == "throughput" || std::ranges::find(kCommon, name) != kCommon.end();
}

std::string Shown(std::string_view name, double value) {
  const bool fraction = name.ends_with("accuracy") && value >= 0 && value <= 1;
  return fraction ? fmt::format("{} {:.1f} %", name, value * 100)
                  : fmt::format("{} {:.4g}", name, value);
}

bool SameNumber(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

void PutValue(Measured& measured, const std::string& name, double value) {
  const bool is_new = !measured.values.contains(name);
  if (is_new && measured.values.size() >= kMaxNames) return;
  measured.values[name] = value;
  if (!IsCount(name))
    measured.at[name] = {Find(measured.values, "step"), Find(measured.values, "epoch")};
}

bool Same(const Measured& a, const Measured& b) {
  return a.at == b.at && a.reported == b.reported &&
         std::ranges::equal(a.values, b.values, [](const auto& x, const auto& y) {
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
  if (!measured.reported.empty())
    object["reported"] = json::array(measured.reported.begin(), measured.reported.end());
  return object;
}

Measured MeasuredFromJson(const json::object& object) {
  Measured measured;
  if (const json::object* values = GetObject(object, "values"))
    measured.values = ValuesFromJson(*values);
  if (const json::array* names = GetArray(object, "reported"))
    for (const json::value& name : *names)
      if (const json::string* text = name.if_string(); text && measured.reported.size() < kMaxNames)
        measured.reported.emplace(*text);
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
  for (const char* name : kCommon)
    if (const auto value = Find(values, name)) add(Shown(name, *value) + Age(measured, name));
  if (const auto rate = Find(values, "throughput"))
    add(*rate >= 100 ? fmt::format("{:.0f} items/s", *rate) : fmt::format("{:.3g} items/s", *rate));
  size_t most = kMostReported;
  for (const std::string& name : measured.reported) {
    const auto value = Find(values, name);
    if (!value || IsCommon(name) || most == 0) continue;
    --most;
    add(Shown(name, *value) + Age(measured, name));
  }
  return Join(parts, " · ");
}

}  // namespace muster::metrics
