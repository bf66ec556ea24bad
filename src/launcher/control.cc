#include "launcher/control.h"

#include <fcntl.h>

#include <string_view>
#include <utility>

#include "base/log.h"

namespace muster::launcher {
namespace {

constexpr int64_t kReadLimit = 1 << 20;
// Closing an inotify descriptor makes the kernel wait for all CPUs, which takes longer than a short
// job. The launcher therefore polls at first, and uses inotify after the node has run for a while.
constexpr int64_t kLookMs = 10;
constexpr int kLooks = 20;

}  // namespace

Control::Control(os::Loop& loop, const os::Path& attempt_dir, Told told)
    : loop_(loop), path_(attempt_dir / "control"), told_(std::move(told)) {
  timer_ = loop_.After(kLookMs, [this] { LookAgain(); });
}

Control::~Control() { loop_.Cancel(timer_); }

void Control::LookAgain() {
  timer_ = 0;
  if (++looks_ < kLooks) {
    timer_ = loop_.After(kLookMs, [this] { LookAgain(); });
  } else {
    watch_.emplace(loop_);
    watch_->Add(path_, [this] { Read(); });
  }
  Read();
}

void Control::Read() {
  while (true) {
    const auto bytes = os::ReadAt(path_, offset_, kReadLimit);
    if (!bytes) return;  // no line yet, or the folder was removed
    const size_t end = bytes->rfind('\n');
    if (end == std::string::npos) return;
    offset_ += int64_t(end) + 1;
    const bool more = int64_t(bytes->size()) == kReadLimit;
    Take(std::string_view(*bytes).substr(0, end + 1));
    if (!more) return;
  }
}

bool Control::HasNews() const {
  const auto bytes = os::ReadAt(path_, offset_, kReadLimit);
  return bytes && bytes->find('\n') != std::string::npos;
}

void Control::Take(std::string_view text) {
  while (!text.empty()) {
    const size_t length = text.find('\n') + 1;
    const auto part = DecodeControl(text.substr(0, length));
    text.remove_prefix(length);
    if (!part) {
      LogWarning("a line of {} is skipped: {}", path_.string(), part.error().text);
      continue;
    }
    for (const auto& line : part->lines) {
      failure_known_ |= line.by == StoppedBy::kRankFailure;
      told_(line);
    }
  }
}

void Control::Tell(const ControlLine& line) {
  Read();
  if (line.by == StoppedBy::kRankFailure && failure_known_) return;
  if (!out_) {
    auto file = os::Open(path_, O_WRONLY | O_CREAT | O_APPEND);
    if (!file) return LogError("the other nodes cannot be told to stop: {}", file.error().text);
    out_ = std::make_unique<AppendFile>(loop_, std::move(*file), path_.string());
  }
  out_->Append(EncodeControlLine(line));
}

}  // namespace muster::launcher
