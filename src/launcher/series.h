#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launcher/line_tail.h"
#include "metrics/progress.h"
#include "metrics/reported.h"

namespace muster::launcher {

// The latest values of one rank: what its log states, and what the rank reports in the file of
// $MUSTER_METRICS. A reported value replaces a value of the same name from the log.
class SeriesReader {
 public:
  explicit SeriesReader(int rank) : rank_(rank) {}

  // `log` is open for reading and `size` bytes long now.
  void Look(int log, int64_t size);
  void LookAtReports(int file, int64_t size);
  void ReportsReplaced() { reports_tail_.Restart(); }
  // Log and reports are complete. A number at the end of an unfinished last line may be cut off: it
  // is ignored.
  void Close();
  // Whether a step, a loss, a throughput or a reported value has been read.
  bool HasTrained() const;
  // The line for the series file, with newline, when a value changed since the last call.
  std::optional<std::string> TakeLine(int64_t wall_ms);
  // Why reports were ignored, once; nothing when all were read.
  std::optional<std::string> TakeFault();

 private:
  int rank_;
  bool changed_ = false;
  LineTail log_tail_{true};
  metrics::Progress progress_;
  LineTail reports_tail_{false};
  metrics::Reported reported_;
  bool fault_told_ = false;
};

}  // namespace muster::launcher
