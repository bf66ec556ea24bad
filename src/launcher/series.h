#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "metrics/progress.h"

namespace muster::launcher {

// Reads behind one rank's log and keeps the latest numbers that its lines tell. A look costs at
// most 256 KiB of reading; when a rank wrote more since the last one, only the newest 64 KiB count.
class SeriesReader {
 public:
  explicit SeriesReader(int rank) : rank_(rank) {}

  // `log` is open for reading and `size` bytes long now.
  void Look(int log, int64_t size);
  // The log is complete. A number at the end of an unfinished last line may be cut off: it is
  // ignored.
  void Close() { EndLine({}, metrics::LineEnd::kCut); }
  // The line for the series file, with newline, when a number changed since the last call.
  std::optional<std::string> TakeLine(int64_t wall_ms);

 private:
  void TakeBytes(std::string_view bytes);
  void EndLine(std::string_view rest, metrics::LineEnd end);

  const int rank_;
  int64_t offset_ = 0;     // read so far
  std::string begun_;      // a line whose end has not come yet
  bool skipping_ = false;  // inside a line whose beginning was not read or not kept
  bool changed_ = false;
  metrics::Progress progress_;
};

}  // namespace muster::launcher
