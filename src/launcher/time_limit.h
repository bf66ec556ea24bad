#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "model/order.h"
#include "os/loop.h"

namespace muster::launcher {

// The times of the warning and of the limit, counted from the start of the ranks.
struct LimitPlan {
  std::optional<int64_t> warn_ms;
  std::optional<int64_t> stop_ms;
  int signal = 0;  // of the warning
};
// A warning period as long as the limit is reduced to half of it, so that ranks have time before
// they are warned. No warning without a known signal name. Pure.
LimitPlan PlanLimit(const NodeOrder& order);

// The number for "USR1", "SIGUSR1" and similar; 0 for unknown names.
int SignalNumber(std::string_view name);

// The timer of the time limit.
class TimeLimit {
 public:
  explicit TimeLimit(os::Loop& loop) : loop_(loop) {}
  ~TimeLimit() { Cancel(); }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  void Start(const LimitPlan& plan, std::function<void()> warn, std::function<void()> stop);
  void Cancel();

 private:
  os::Loop& loop_;
  os::Loop::Id warn_ = 0;
  os::Loop::Id stop_ = 0;
};

}  // namespace muster::launcher
