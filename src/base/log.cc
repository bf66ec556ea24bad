#include "base/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <string>

#include "base/clock.h"
#include "base/log_file.h"
#include "base/text.h"

namespace muster {
namespace {
std::atomic<Level> threshold{Level::kInfo};
constexpr const char* kNames[] = {"debug", "info", "warning", "error"};

// The folder in which the first log line creates the file; -1 if the file exists or is not wanted.
std::atomic<int> file_folder{-1};
const char* file_name = "";

void MakeFile() {
  const int folder = file_folder.exchange(-1);
  if (folder < 0) return;
  const int file = ::openat(folder, file_name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return;
  ::dup2(file, STDOUT_FILENO);
  ::dup2(file, STDERR_FILENO);
  ::close(file);
}

}  // namespace

void SetLogThreshold(Level level) { threshold = level; }

void LogIntoFileOf(int folder, const char* name) {
  file_name = name;
  file_folder = folder;
}

void LogLine(Level level, std::string_view text) {
  if (level < threshold.load(std::memory_order_relaxed)) return;
  const std::string line = fmt::format("{} {} {}\n", IsoTime(SystemClock().WallMs()),
                                       kNames[int(level)], Printable(text));
  if (file_folder.load(std::memory_order_relaxed) >= 0) MakeFile();
  // A single write, so that lines of several threads do not mix. A write error cannot be reported
  // anywhere.
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

}  // namespace muster
