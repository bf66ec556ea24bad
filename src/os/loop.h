#pragma once

#include <cstdint>
#include <functional>

#include "base/clock.h"

namespace muster::os {

// One thread's event loop. Everything but Post runs on the loop's own thread; callbacks may call
// any method, Cancel and Unwatch of themselves included. The server's loop is http/asio_loop.h, the
// launcher's os/epoll_loop.h, the tests' os/fake_loop.h.
class Loop {
 public:
  using Id = uint64_t;  // 0 is never an id

  virtual ~Loop() = default;
  virtual const Clock& clock() const = 0;
  // Runs `fn` on the loop soon, in the order posted. Any thread.
  virtual void Post(std::function<void()> fn) = 0;
  // Runs `fn` once, `ms` of steady time from now.
  virtual Id After(int64_t ms, std::function<void()> fn) = 0;
  virtual void Cancel(Id timer) = 0;  // an unknown or fired id is no error
  // Runs `fn` whenever `fd` is readable (or hung up), until Unwatch. The caller keeps `fd` open.
  virtual Id WatchReadable(int fd, std::function<void()> fn) = 0;
  virtual void Unwatch(Id watch) = 0;
};

}  // namespace muster::os
