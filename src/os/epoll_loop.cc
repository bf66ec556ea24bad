#include "os/epoll_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/log.h"

namespace muster::os {
namespace {

constexpr uint64_t kWakeId = 0;  // not the id of any watch
constexpr int64_t kLongestTimer = int64_t{1} << 50;
constexpr int64_t kLongestWait = 3'600'000;

Status Register(int epoll, int fd, uint64_t id) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = id;
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0) return {};
  return FailErrno(errno, fmt::format("watch descriptor {}", fd));
}

}  // namespace

EpollLoop::EpollLoop()
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!epoll_ || !wake_) {
    setup_ = FailErrno(errno, "make an event loop");
  } else {
    setup_ = Register(epoll_.get(), wake_.get(), kWakeId);
  }
}

EpollLoop::~EpollLoop() = default;

Status EpollLoop::Run() {
  MUSTER_TRY(setup_);
  std::array<epoll_event, 64> events;
  while (!Stopping()) {
    const int count = ::epoll_wait(epoll_.get(), events.data(), int(events.size()), WaitMs());
    if (count < 0 && errno != EINTR) return FailErrno(errno, "wait for events");
    for (int i = 0; i < count && !Stopping(); ++i) RunWatch(events[size_t(i)].data.u64);
    if (!Stopping()) RunTimers();
  }
  stopping_.store(false, std::memory_order_release);
  return {};
}

void EpollLoop::Stop() {
  stopping_.store(true, std::memory_order_release);
  Wake();
}

void EpollLoop::Post(std::function<void()> fn) {
  bool first = false;
  {
    MutexLock lock(mutex_);
    first = posted_.empty();
    posted_.push_back(std::move(fn));
  }
  if (first) Wake();
}

Loop::Id EpollLoop::After(int64_t ms, std::function<void()> fn) {
  const Id id = next_id_++;
  const int64_t deadline = clock_.SteadyMs() + std::clamp<int64_t>(ms, 0, kLongestTimer);
  timers_.emplace(std::pair(deadline, id), std::move(fn));
  deadlines_.emplace(id, deadline);
  return id;
}

void EpollLoop::Cancel(Id timer) {
  const auto found = deadlines_.find(timer);
  if (found == deadlines_.end()) return;
  timers_.erase({found->second, timer});
  deadlines_.erase(found);
}

Loop::Id EpollLoop::WatchReadable(int fd, std::function<void()> fn) {
  const Id id = next_id_++;
  if (const Status added = Register(epoll_.get(), fd, id); !added) {
    LogError("{}; it will never be reported readable", added.error().text);
  }
  watches_.emplace(id, Watch{fd, std::make_shared<std::function<void()>>(std::move(fn))});
  return id;
}

void EpollLoop::Unwatch(Id watch) {
  const auto found = watches_.find(watch);
  if (found == watches_.end()) return;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, found->second.fd, nullptr);
  watches_.erase(found);
}

int EpollLoop::WaitMs() const {
  if (timers_.empty()) return -1;
  const int64_t wait = timers_.begin()->first.first - clock_.SteadyMs();
  return int(std::clamp<int64_t>(wait, 0, kLongestWait));
}

void EpollLoop::Wake() {
  // An error means that the counter is full; the loop wakes up either way.
  const uint64_t one = 1;
  if (::write(wake_.get(), &one, sizeof one) < 0) return;
}

void EpollLoop::RunWatch(Id id) {
  if (id == kWakeId) return RunPosted();
  const auto found = watches_.find(id);
  if (found == watches_.end()) return;  // a callback of this round removed the watch
  const auto fn = found->second.fn;
  (*fn)();
}

void EpollLoop::RunPosted() {
  uint64_t count = 0;
  if (::read(wake_.get(), &count, sizeof count) < 0 && errno != EAGAIN) {
    LogError("event loop cannot read its wake-up counter");
  }
  std::vector<std::function<void()>> batch;
  {
    MutexLock lock(mutex_);
    batch.swap(posted_);
  }
  for (size_t i = 0; i < batch.size(); ++i) {
    batch[i]();
    if (!Stopping()) continue;
    // Unprocessed callbacks stay before those posted meanwhile, for the next Run.
    MutexLock lock(mutex_);
    posted_.insert(posted_.begin(), std::make_move_iterator(batch.begin() + ptrdiff_t(i) + 1),
                   std::make_move_iterator(batch.end()));
    break;
  }
}

void EpollLoop::RunTimers() {
  const int64_t now = clock_.SteadyMs();
  const Id limit = next_id_;  // timers created by these callbacks run in the next round
  while (!timers_.empty() && !Stopping()) {
    const auto [deadline, id] = timers_.begin()->first;
    if (deadline > now || id >= limit) return;
    const std::function<void()> fn = std::move(timers_.begin()->second);
    Cancel(id);
    fn();
  }
}

}  // namespace muster::os
