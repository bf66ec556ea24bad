#include "launcher/time_limit.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "model/exit_report.h"

namespace muster::launcher {
namespace {

// 100 years, which is far from the limits of a 64-bit clock.
constexpr int64_t kLongestMs = int64_t(100) * 365 * 86'400'000;

}  // namespace

int SignalNumber(std::string_view name) {
  if (name.starts_with("SIG")) name.remove_prefix(3);
  for (int number = 1; number < NSIG; ++number)
    if (std::string_view(SignalName(number)).substr(3) == name && name != "?") return number;
  return 0;
}

LimitPlan PlanLimit(const NodeOrder& order) {
  LimitPlan plan;
  if (!order.time_limit_ms) return plan;
  const int64_t limit = std::clamp<int64_t>(*order.time_limit_ms, 0, kLongestMs);
  plan.stop_ms = limit;
  plan.signal = SignalNumber(order.warning_signal);
  if (plan.signal == 0 || order.warning_ms <= 0) return plan;
  plan.warn_ms = order.warning_ms < limit ? limit - order.warning_ms : limit / 2;
  return plan;
}

void TimeLimit::Start(const LimitPlan& plan, std::function<void()> warn,
                      std::function<void()> stop) {
  if (plan.warn_ms) warn_ = loop_.After(*plan.warn_ms, std::move(warn));
  if (plan.stop_ms) stop_ = loop_.After(*plan.stop_ms, std::move(stop));
}

void TimeLimit::Cancel() {
  loop_.Cancel(std::exchange(warn_, 0));
  loop_.Cancel(std::exchange(stop_, 0));
}

}  // namespace muster::launcher
