#pragma once

#include <functional>
#include <utility>

namespace muster::api {

// The wake-up callback of a stream: the function given to OnReady. A call before OnReady is
// remembered. A call may destroy the stream, so the stream is not used afterwards.
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
