#pragma once

#include <chrono>
#include <cstdint>

namespace muster {

// Two clocks: wall time for people and records, steady time for deadlines. Never subtract one from
// the other.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t WallMs() const = 0;    // milliseconds since 1970
  virtual int64_t SteadyMs() const = 0;  // milliseconds since a fixed instant of this boot
};

class SystemClock final : public Clock {
 public:
  int64_t WallMs() const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  int64_t SteadyMs() const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

// Advances only on request.
class FakeClock final : public Clock {
 public:
  int64_t WallMs() const override { return wall_ms_; }
  int64_t SteadyMs() const override { return steady_ms_; }
  void Advance(int64_t ms) { wall_ms_ += ms, steady_ms_ += ms; }
  void JumpWall(int64_t ms) { wall_ms_ += ms; }

 private:
  int64_t wall_ms_ = 1'700'000'000'000;
  int64_t steady_ms_ = 1'000'000;
};

}  // namespace muster
