#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/thread_annotations.h"
#include "transfer/copy.h"
#include "transfer/pace.h"
#include "transfer/record.h"

namespace muster::transfer {

// The state that all workers of a copy share. Any thread.
class Session {
 public:
  Session(const CopyOptions& its_options, Stores& its_stores, Observer& observer);

  const CopyOptions& options;
  Stores& stores;
  const SystemClock clock;
  std::unique_ptr<Record> record;  // null if no journal is kept

  // A number that identifies a worker.
  unsigned NextHand() { return hands_++; }

  bool stopped() const { return stopped_; }
  void Stop() EXCLUDES(mutex_);
  // Waits for `ms`. Returns false if the copy is to stop.
  bool Sleep(int64_t ms) EXCLUDES(mutex_);
  // Accounts for transferred bytes and waits as the rate limit requires. Returns false if the copy
  // is to stop.
  bool Moved(int64_t bytes);

  void Found(int64_t size);
  void Listed() { listed_ = true; }
  void PartEnded(int64_t bytes) { ended_bytes_ += bytes; }
  void Retried() { ++retries_; }
  void Note(std::string text) EXCLUDES(mutex_);
  // `kept`: bytes of the object that an earlier run transferred.
  void Copied(const Item& item, const Location& destination, Check check, int64_t kept)
      EXCLUDES(mutex_);
  void Did(Deed::Kind kind, const std::string& source, const std::string& destination, int64_t size)
      EXCLUDES(mutex_);
  void Failed(const std::string& source, const std::string& destination, Error error, int64_t size)
      EXCLUDES(mutex_);

  Tally tally() const;
  Summary TakeSummary() EXCLUDES(mutex_);

 private:
  Observer& observer_;
  Pace pace_;
  const int64_t began_ms_;
  std::atomic<bool> stopped_ = false, listed_ = false;
  std::atomic<int64_t> found_ = 0, found_bytes_ = 0, ended_ = 0, ended_bytes_ = 0, moved_ = 0;
  std::atomic<int64_t> retries_ = 0;
  std::atomic<unsigned> hands_ = 0;
  Mutex mutex_;
  CondVar wake_;
  Summary summary_ GUARDED_BY(mutex_);
};

}  // namespace muster::transfer
