#include "launcher/series.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/json.h"

namespace muster::launcher {
namespace {

constexpr int64_t kMostALook = 256 << 10;
constexpr int64_t kNewest = 64 << 10;
constexpr size_t kLongestLine = 64 << 10;

}  // namespace

void SeriesReader::Look(int log, int64_t size) {
  if (size < offset_) {  // the rank emptied its own log
    offset_ = 0;
    begun_.clear();
    skipping_ = false;
  }
  if (size - offset_ > kMostALook) {
    offset_ = size - kNewest;
    begun_.clear();
    skipping_ = true;
  }
  if (size == offset_) return;
  std::string bytes(size_t(size - offset_), '\0');
  const ssize_t got = pread(log, bytes.data(), bytes.size(), offset_);
  if (got <= 0) return;
  offset_ += got;
  TakeBytes(std::string_view(bytes).substr(0, size_t(got)));
}

// A carriage return ends a line as well: progress bars draw over themselves with it.
void SeriesReader::TakeBytes(std::string_view bytes) {
  size_t end = 0;
  while ((end = bytes.find_first_of("\n\r")) != std::string_view::npos) {
    const bool redrawn = bytes[end] == '\r';
    EndLine(bytes.substr(0, end), redrawn ? metrics::LineEnd::kReturn : metrics::LineEnd::kNewline);
    bytes.remove_prefix(end + 1);
  }
  if (skipping_) return;
  begun_ += bytes;
  if (begun_.size() <= kLongestLine) return;
  begun_.clear();
  skipping_ = true;
}

void SeriesReader::EndLine(std::string_view rest, metrics::LineEnd end) {
  if (!std::exchange(skipping_, false)) {
    if (begun_.empty()) {
      changed_ |= progress_.Take(rest, end);
    } else {
      changed_ |= progress_.Take(begun_ += rest, end);
    }
  }
  begun_.clear();
}

std::optional<std::string> SeriesReader::TakeLine(int64_t wall_ms) {
  if (!std::exchange(changed_, false)) return std::nullopt;
  json::object line = metrics::MeasuredToJson(progress_.measured());
  line["wall_ms"] = wall_ms;
  line["rank"] = rank_;
  return ToJson(line) + "\n";
}

}  // namespace muster::launcher
