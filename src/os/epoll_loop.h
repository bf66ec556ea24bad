#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/thread_annotations.h"
#include "os/fd.h"
#include "os/loop.h"

namespace muster::os {

// An event loop on epoll, for programs without an HTTP server. Its thread is the one that calls
// Run. A descriptor has at most one watch.
class EpollLoop final : public Loop {
 public:
  EpollLoop();
  ~EpollLoop() override;
  EpollLoop(const EpollLoop&) = delete;
  EpollLoop& operator=(const EpollLoop&) = delete;

  // Runs callbacks until Stop. An Error if the kernel has no descriptors for the loop itself.
  Status Run();
  // Makes Run return after the current callback; before Run, makes the next Run return at once. Any
  // thread.
  void Stop();

  const Clock& clock() const override { return clock_; }
  void Post(std::function<void()> fn) override EXCLUDES(mutex_);
  Id After(int64_t ms, std::function<void()> fn) override;
  void Cancel(Id timer) override;
  Id WatchReadable(int fd, std::function<void()> fn) override;
  void Unwatch(Id watch) override;

 private:
  struct Watch {
    int fd;
    // Shared, so that a callback that removes its own watch is not destroyed while it runs.
    std::shared_ptr<std::function<void()>> fn;
  };

  bool Stopping() const { return stopping_.load(std::memory_order_acquire); }
  int WaitMs() const;
  void Wake();
  void RunWatch(Id id);
  void RunPosted() EXCLUDES(mutex_);
  void RunTimers();

  SystemClock clock_;
  Status setup_;
  Fd epoll_;
  Fd wake_;  // eventfd for Post and Stop from other threads
  std::atomic<bool> stopping_ = false;

  // Used on the loop's thread only.
  Id next_id_ = 1;
  std::unordered_map<Id, Watch> watches_;
  std::map<std::pair<int64_t, Id>, std::function<void()>> timers_;  // by deadline, then by age
  std::unordered_map<Id, int64_t> deadlines_;                       // deadlines of the timers above

  Mutex mutex_;
  std::vector<std::function<void()>> posted_ GUARDED_BY(mutex_);
};

}  // namespace muster::os
