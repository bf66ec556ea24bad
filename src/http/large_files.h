#pragma once

#include <atomic>
#include <chrono>

namespace muster::http {

// The large files that a crew is sending to any client. Any thread.
class LargeFiles {
 public:
  using Clock = std::chrono::steady_clock;
  // A client that downloads several files has short intervals with only one, between the end of a
  // file and the next.
  static constexpr std::chrono::milliseconds kMoment{100};

  // A file in transfer; registered while this object exists.
  class One {
   public:
    explicit One(LargeFiles& all) : all_(all) { ++all_.count_; }
    ~One() { --all_.count_; }
    One(const One&) = delete;
    One& operator=(const One&) = delete;

   private:
    LargeFiles& all_;
  };

  // Whether no other file is in transfer, and none was a moment ago. The sender polls this
  // occasionally.
  bool IsAlone(Clock::time_point now) {
    const auto ticks = now.time_since_epoch().count();
    if (count_.load(std::memory_order_relaxed) > 1) {
      company_.store(ticks, std::memory_order_relaxed);
      return false;
    }
    return ticks - company_.load(std::memory_order_relaxed) > Clock::duration(kMoment).count();
  }

 private:
  std::atomic<int> count_ = 0;
  std::atomic<Clock::rep> company_ = 0;  // when there was last more than one
};

}  // namespace muster::http
