#pragma once

#include <functional>
#include <utility>

namespace muster::api {

// The bell of a stream: what was given to OnReady. A ring before anyone listens is kept. Ringing
// may destroy the stream, so nothing of it is touched afterwards.
class WakeUp {
 public:
  void Set(std::function<void()> wake) {
    wake_ = std::move(wake);
    if (std::exchange(rung_, false)) Ring();
  }
  void Ring() {
    if (!wake_) {
      rung_ = true;
      return;
    }
    const std::function<void()> wake = wake_;
    wake();
  }

 private:
  std::function<void()> wake_;
  bool rung_ = false;
};

}  // namespace muster::api
