#pragma once

#include <cstdlib>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/thread_annotations.h"
#include "os/loop.h"

namespace muster::os {

// An event loop for tests: callbacks run only on request, and time advances only by Advance. One
// thread, except Post.
class FakeLoop final : public Loop {
 public:
  const Clock& clock() const override { return clock_; }
  FakeClock& fake_clock() { return clock_; }

  void Post(std::function<void()> fn) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    posted_.push_back(std::move(fn));
    wake_.NotifyAll();
  }
  Id After(int64_t ms, std::function<void()> fn) override {
    const Id id = next_id_++;
    timers_.emplace(std::pair(clock_.SteadyMs() + (ms < 0 ? 0 : ms), id), std::move(fn));
    return id;
  }
  void Cancel(Id timer) override {
    std::erase_if(timers_, [timer](const auto& entry) { return entry.first.second == timer; });
  }
  Id WatchReadable(int fd, std::function<void()> fn) override {
    const Id id = next_id_++;
    watches_.emplace(id, Watch{fd, std::make_shared<std::function<void()>>(std::move(fn))});
    return id;
  }
  void Unwatch(Id watch) override { watches_.erase(watch); }

  // Runs all posted callbacks, including those that they post. Returns their number.
  int RunPosted() {
    int count = 0;
    for (auto batch = TakePosted(); !batch.empty(); batch = TakePosted()) {
      for (auto& fn : batch) fn(), ++count;
    }
    return count;
  }
  // Waits until another thread posts a callback, then runs it.
  void WaitPosted() EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      while (posted_.empty()) wake_.Wait(lock);
    }
    RunPosted();
  }
  // Advances the clock and runs due timers in order, each at its own time.
  void Advance(int64_t ms) {
    RunPosted();
    const int64_t end = clock_.SteadyMs() + ms;
    while (!timers_.empty() && timers_.begin()->first.first <= end) {
      auto timer = timers_.extract(timers_.begin());
      clock_.Advance(timer.key().first - clock_.SteadyMs());
      timer.mapped()();
      RunPosted();
    }
    clock_.Advance(end - clock_.SteadyMs());
  }
  // Runs the watch of `fd`; false if there is none.
  bool Ready(int fd) {
    return Fire([fd](const Watch& watch) { return watch.fd == fd; }) > 0;
  }
  // Runs every watch once, as if all descriptors were readable.
  int ReadyAll() {
    return Fire([](const Watch&) { return true; });
  }

  size_t timer_count() const { return timers_.size(); }
  size_t watch_count() const { return watches_.size(); }

 private:
  struct Watch {
    int fd;
    std::shared_ptr<std::function<void()>> fn;  // shared, because it may remove its own watch
  };

  std::vector<std::function<void()>> TakePosted() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return std::exchange(posted_, {});
  }

  template <typename Wanted>
  int Fire(Wanted wanted) {
    std::vector<Id> ids;
    for (const auto& [id, watch] : watches_) {
      if (wanted(watch)) ids.push_back(id);
    }
    int count = 0;
    for (Id id : ids) {
      const auto found = watches_.find(id);
      if (found == watches_.end()) continue;
      const auto fn = found->second.fn;
      (*fn)();
      ++count;
    }
    RunPosted();
    return count;
  }

  FakeClock clock_;
  Id next_id_ = 1;
  std::map<std::pair<int64_t, Id>, std::function<void()>> timers_;
  std::map<Id, Watch> watches_;
  Mutex mutex_;
  CondVar wake_;
  std::vector<std::function<void()>> posted_ GUARDED_BY(mutex_);
};

}  // namespace muster::os
