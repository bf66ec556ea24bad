#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "metrics/measured.h"

namespace muster::metrics {

// The values that a rank reports as JSON lines in the file of $MUSTER_METRICS, for example
// {"step": 10, "loss": 0.4, "reward": 12}. Names are kept as they are. "rank" tells the processes
// apart that write into one file: only the lowest one counts.
class Reported {
 public:
  // True when a value changed. A line that is not read leaves its cause in fault().
  bool Take(std::string_view line);
  const Measured& measured() const { return measured_; }
  const std::string& fault() const { return fault_; }  // of the first such line

 private:
  bool IsFromLowestRank(const json::object& object);
  void Fault(std::string_view line, std::string_view cause);

  Measured measured_;
  std::optional<double> lowest_rank_;
  std::string fault_;
};

// The values of `output`, replaced by the reported ones of the same name.
Measured Merge(Measured output, const Measured& reported);

}  // namespace muster::metrics
