#pragma once

#include <cstdint>
#include <functional>

#include "base/clock.h"

namespace muster::os {

// The event loop of one thread. All methods except Post must be called on its thread. Callbacks may
// call any method, including Cancel and Unwatch of themselves. Implementations: http/asio_loop.h
// (server), os/epoll_loop.h (launcher), os/fake_loop.h (tests).
class Loop {
 public:
  using Id = uint64_t;  // 0 is never a valid id

  virtual ~Loop() = default;
  virtual const Clock& clock() const = 0;
  // Runs `fn` on the loop soon, in the order of the calls. Any thread.
  virtual void Post(std::function<void()> fn) = 0;
  // Runs `fn` once, after `ms` of steady time.
  virtual Id After(int64_t ms, std::function<void()> fn) = 0;
  virtual void Cancel(Id timer) = 0;  // an unknown id or one that has run is ignored
  // Runs `fn` whenever `fd` is readable or hung up, until Unwatch. The caller keeps `fd` open.
  virtual Id WatchReadable(int fd, std::function<void()> fn) = 0;
  virtual void Unwatch(Id watch) = 0;
};

}  // namespace muster::os
