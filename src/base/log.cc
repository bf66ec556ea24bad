#include "base/log.h"

#include <unistd.h>

#include <atomic>
#include <string>

#include "base/clock.h"
#include "base/text.h"

namespace muster {
namespace {
std::atomic<Level> threshold{Level::kInfo};
constexpr const char* kNames[] = {"debug", "info", "warning", "error"};
}  // namespace

void SetLogThreshold(Level level) { threshold = level; }

void LogLine(Level level, std::string_view text) {
  if (level < threshold.load(std::memory_order_relaxed)) return;
  const std::string line = fmt::format("{} {} {}\n", IsoTime(SystemClock().WallMs()),
                                       kNames[int(level)], Printable(text));
  // One write, so that lines of several threads do not mix; there is nobody to tell when it fails.
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

}  // namespace muster
