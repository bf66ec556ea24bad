#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/json.h"
#include "metrics/values.h"

namespace muster::metrics {

// The step and epoch at which a value was measured, as far as they are known.
struct Position {
  std::optional<double> step, epoch;
  bool operator==(const Position&) const = default;
};

// The latest values of a rank.
struct Measured {
  Values values;
  std::map<std::string, Position> at = {};  // values that have a position
  std::set<std::string> reported = {};      // names from $MUSTER_METRICS
};
// Sets a value. Its position is the current step and epoch; these two have none.
void PutValue(Measured& measured, const std::string& name, double value);
bool Same(const Measured& a, const Measured& b);  // NaN equals NaN

// {"values": {"step": 40, "loss": 0.25}, "at": {"loss": {"step": 30}}}. `at` has only the values
// that were measured at another step or epoch than the current one; "reported" lists the names from
// $MUSTER_METRICS.
json::object MeasuredToJson(const Measured& measured);
Measured MeasuredFromJson(const json::object& object);

// "epoch 2/3 · step 40 · loss 0.2574 (step 30) · accuracy 89.4 % · 11800 items/s"; empty without
// values. Reported values stand behind those of common names.
std::string ProgressText(const Measured& measured);

}  // namespace muster::metrics
