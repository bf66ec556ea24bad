#include "transfer/session.h"

#include <algorithm>

namespace muster::transfer {

constexpr size_t kMostTold = 100;

// Whether the same command may succeed later without a correction by the user, except for example
// free disk space.
static bool MayPass(Code code) {
  return code == Code::kTimeout || code == Code::kUnavailable || code == Code::kNoSpace ||
         code == Code::kCorrupt;
}

std::string_view CheckName(Check check) {
  constexpr std::string_view kNames[] = {"nothing", "length", "md5", "sha256", "crc"};
  return kNames[static_cast<size_t>(check)];
}

Session::Session(const CopyOptions& its_options, Stores& its_stores, Observer& observer)
    : options(its_options),
      stores(its_stores),
      observer_(observer),
      pace_(its_options.bytes_per_second, clock),
      began_ms_(clock.SteadyMs()) {}

void Session::Stop() {
  stopped_ = true;
  const MutexLock lock(mutex_);
  summary_.interrupted = true;
  wake_.NotifyAll();
}

bool Session::Sleep(int64_t ms) {
  const int64_t until = clock.SteadyMs() + ms;
  MutexLock lock(mutex_);
  while (!stopped_) {
    const int64_t left = until - clock.SteadyMs();
    if (left <= 0) return true;
    wake_.WaitFor(lock, left);
  }
  return false;
}

bool Session::Moved(int64_t bytes) {
  moved_ += bytes;
  const int64_t wait = pace_.Moved(bytes);
  return wait > 0 ? Sleep(wait) : !stopped_;
}

void Session::Found(int64_t size) {
  ++found_;
  found_bytes_ += std::max<int64_t>(size, 0);
}

void Session::Note(std::string text) {
  const MutexLock lock(mutex_);
  if (summary_.notes.size() < kMostTold) {
    summary_.notes.push_back(std::move(text));
  } else {
    ++summary_.more_notes;
  }
}

void Session::Copied(const Item& item, const Location& destination, Check check, int64_t kept) {
  ++ended_;
  const MutexLock lock(mutex_);
  ++summary_.copied;
  summary_.gone_on_with += kept > 0 ? 1 : 0;
  summary_.resumed_bytes += kept;
  summary_.bytes += std::max<int64_t>(item.size - kept, 0);
  ++summary_.checked[static_cast<size_t>(check)];
  if (!observer_.HearsOfEach()) return;
  observer_.Did({Deed::Kind::kCopied, Show(item.at), Show(destination), item.size});
}

void Session::Did(Deed::Kind kind, const std::string& source, const std::string& destination,
                  int64_t size) {
  const bool deletes = kind == Deed::Kind::kDeleted || kind == Deed::Kind::kWouldDelete;
  const bool skips = kind == Deed::Kind::kSkipped;
  if (!deletes) {
    ++ended_;
    ended_bytes_ += std::max<int64_t>(size, 0);
  }
  const MutexLock lock(mutex_);
  summary_.deleted += deletes ? 1 : 0;
  summary_.skipped += skips ? 1 : 0;
  summary_.copied += kind == Deed::Kind::kWouldCopy ? 1 : 0;
  summary_.bytes += kind == Deed::Kind::kWouldCopy ? std::max<int64_t>(size, 0) : 0;
  observer_.Did({kind, source, destination, size});
}

void Session::Failed(const std::string& source, const std::string& destination, Error error,
                     int64_t size) {
  ++ended_;
  const MutexLock lock(mutex_);
  // An object that was interrupted by Ctrl-C did not fail.
  if (stopped_) return;
  ++summary_.failed;
  summary_.passing += MayPass(error.code) ? 1 : 0;
  if (summary_.failures.size() < kMostTold) {
    summary_.failures.push_back({source, destination, std::move(error)});
  }
  observer_.Did({Deed::Kind::kFailed, source, destination, size});
}

Tally Session::tally() const {
  return {.found = found_,
          .found_bytes = found_bytes_,
          .listed = listed_,
          .ended = ended_,
          .ended_bytes = ended_bytes_,
          .moved_bytes = moved_};
}

Summary Session::TakeSummary() {
  const MutexLock lock(mutex_);
  summary_.retries = retries_;
  summary_.ms = clock.SteadyMs() - began_ms_;
  return std::move(summary_);
}

}  // namespace muster::transfer
