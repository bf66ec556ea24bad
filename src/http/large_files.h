#pragma once

#include <atomic>
#include <chrono>

namespace muster::http {

// The large files that a crew is sending at the time, to whomever. Any thread.
class LargeFiles {
 public:
  using Clock = std::chrono::steady_clock;
  // Who brings several has short moments with one alone, between the end of a file and the next.
  static constexpr std::chrono::milliseconds kMoment{100};

  // One that is being sent, for as long as it lives.
  class One {
   public:
    explicit One(LargeFiles& all) : all_(all) { ++all_.count_; }
    ~One() { --all_.count_; }
    One(const One&) = delete;
    One& operator=(const One&) = delete;

   private:
    LargeFiles& all_;
  };

  // Whether there is no other, and was none a moment ago. Asked by who sends one, now and then.
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
  std::atomic<Clock::rep> company_ = 0;  // when there was more than one for the last time
};

}  // namespace muster::http
