#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "metrics/names.h"

namespace muster::metrics {

// One value that a line of text states.
struct Found {
  Metric metric = Metric::kNone;
  Phase phase = Phase::kNone;  // of its own name, else of the words left of it
  double value = 0;
  std::optional<double> total = {};  // "2/3"
  bool mean = false;                 // "average loss"
  bool percent = false;              // accuracy with a percent sign
  bool has_unit = false;             // throughput with its unit
  bool assigned = false;             // behind ':' or '=': a configuration may print this as well
  bool at_end = false;               // the line ends with the number: it may be cut off
};

struct TextReading {
  std::vector<Found> found;
  Phase phase = Phase::kNone;     // the last phase that the words of the line name
  bool begins_with_star = false;  // " * Acc@1 93.1", the summary of a phase
  bool is_summary = false;        // means over the whole run ("train_runtime")
};

// Reads a clean line as PyTorch, Keras, MindSpore, Paddle and their users print it:
// "epoch: 1 step: 20, loss is 1.23", "Epoch[1](100/390) Loss 0.1", "ips: 320.5 images/s".
TextReading ReadText(std::string_view line);

}  // namespace muster::metrics
