#pragma once

#include <map>
#include <memory>

#include <boost/asio/io_context.hpp>

#include "os/loop.h"

namespace muster::http {

// The event loop of a server: os::Loop on the io_context that also runs its connections.
class AsioLoop final : public os::Loop {
 public:
  AsioLoop();
  ~AsioLoop() override;
  AsioLoop(const AsioLoop&) = delete;
  AsioLoop& operator=(const AsioLoop&) = delete;

  const Clock& clock() const override { return clock_; }
  void Post(std::function<void()> fn) override;
  Id After(int64_t ms, std::function<void()> fn) override;
  void Cancel(Id timer) override;
  Id WatchReadable(int fd, std::function<void()> fn) override;
  void Unwatch(Id watch) override;

  void Run();   // until Stop, also while idle
  void Stop();  // any thread; queued callbacks stay queued
  boost::asio::io_context& context() { return context_; }

 private:
  struct Timer;
  struct Watch;
  void Await(const std::shared_ptr<Watch>& watch);

  // Drops queued callbacks while the maps below exist, because their destructors may call Cancel.
  struct Context : boost::asio::io_context {
    Context() : io_context(1) {}
    using execution_context::shutdown;
  };

  SystemClock clock_;
  Context context_;
  Id last_id_ = 0;
  std::map<Id, std::unique_ptr<Timer>> timers_;
  std::map<Id, std::shared_ptr<Watch>> watches_;  // shared with the pending wait
};

}  // namespace muster::http
