#include "launcher/append_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "os/reserve.h"

namespace muster::launcher {
namespace {

constexpr int64_t kRetryMs = 500;

}  // namespace

AppendFile::AppendFile(os::Loop& loop, os::Fd file, std::string name)
    : loop_(loop), file_(std::move(file)), name_(std::move(name)) {}

AppendFile::~AppendFile() { loop_.Cancel(retry_); }

void AppendFile::Append(std::string_view bytes) {
  pending_ += bytes;
  if (holds_ == 0) WriteNow();
}

void AppendFile::Release() {
  if (--holds_ == 0 && !pending_.empty()) WriteNow();
}

// Later lines wait until an earlier line has been written.
void AppendFile::WriteNow() {
  if (retry_ == 0) Flush();
}

void AppendFile::Flush() {
  retry_ = 0;
  while (!pending_.empty()) {
    const ssize_t written = write(file_.get(), pending_.data(), pending_.size());
    if (written >= 0) {
      pending_.erase(0, size_t(written));
    } else if (const int error = errno; error == ENOSPC && os::GiveUpReserve(file_.get())) {
      LogWarning("the disk is full; {} takes the room that was kept for it", name_);
    } else if (error != EINTR) {
      if (rare_.IsDue(strerror(error), loop_.clock().SteadyMs()))
        LogWarning("cannot write {}: {}; trying again until it can be written", name_,
                   strerror(error));
      retry_ = loop_.After(kRetryMs, [this] { Flush(); });
      return;
    }
  }
  if (when_settled_) std::exchange(when_settled_, nullptr)();
}

void AppendFile::WhenSettled(std::function<void()> fn) {
  if (settled()) return fn();
  when_settled_ = std::move(fn);
}

}  // namespace muster::launcher
