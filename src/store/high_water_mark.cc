#include "store/high_water_mark.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include <fmt/format.h>

#include "base/crc32c.h"
#include "base/text.h"

namespace muster::store {
namespace {

constexpr int64_t kSyncEveryMs = 1000;
constexpr int64_t kLargest = 4096;

// "job 00000000000000000017 event 00000000000000000220 <crc32c>\n", always as long.
std::string Encode(const HighWater& mark) {
  const std::string text = fmt::format("job {:020} event {:020}", mark.job, mark.event);
  return fmt::format("{} {:08x}\n", text, Crc32c(text));
}

int64_t Number(const std::string& digits) {
  int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace

std::optional<HighWater> HighWaterMark::Read(const os::Path& file) {
  const auto text = os::ReadFile(file, kLargest);
  if (!text) return std::nullopt;
  const auto words = Split(Trim(*text), ' ');
  if (words.size() != 5) return std::nullopt;
  const HighWater mark{Number(words[1]), Number(words[3])};
  if (*text != Encode(mark)) return std::nullopt;
  return mark;
}

Result<HighWaterMark> HighWaterMark::Open(const os::Path& file) {
  MUSTER_ASSIGN(os::Fd fd, os::Open(file, O_WRONLY | O_CREAT | O_NOFOLLOW, 0600));
  return HighWaterMark(file, std::move(fd));
}

Status HighWaterMark::Write(const HighWater& now) {
  const std::string text = Encode(now);
  if (::pwrite(file_.get(), text.data(), text.size(), 0) != ssize_t(text.size()))
    return FailErrno(errno, "write " + path_.string());
  dirty_ = true;
  return {};
}

void HighWaterMark::SyncIfDue(int64_t steady_ms) {
  if (!dirty_ || (synced_ms_ != 0 && steady_ms - synced_ms_ < kSyncEveryMs)) return;
  dirty_ = false;
  synced_ms_ = steady_ms;
  (void)::fdatasync(file_.get());
}

}  // namespace muster::store
