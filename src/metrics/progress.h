#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace muster::metrics {

// Numbers that one line of a training log tells, by the names people use: "epoch", "epochs",
// "step", "steps", "loss", "accuracy", "throughput" (items a second), "learning_rate", and any
// other numeric member when the line is a JSON object. A percentage becomes a fraction for
// accuracy. Nothing is guessed: a line that does not say gives nothing.
using Values = std::map<std::string, double>;
Values ReadLine(std::string_view line);

// The latest value of every name over the lines seen, for one rank.
class Progress {
 public:
  // True when something changed.
  bool Take(std::string_view line);
  const Values& values() const { return values_; }

 private:
  Values values_;
};

// "epoch 2/3 · loss 0.2574 · accuracy 89.4 % · 11800 items/s"; empty without values.
std::string ProgressText(const Values& values);

json::object ToJsonObject(const Values& values);
Values ValuesFromJson(const json::object& object);

}  // namespace muster::metrics
