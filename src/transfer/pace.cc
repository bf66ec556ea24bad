#include "transfer/pace.h"

#include <algorithm>
#include <cmath>

namespace muster::transfer {

constexpr double kBurstMs = 200;

int64_t Pace::Moved(int64_t bytes) {
  if (rate_ <= 0) return 0;
  const auto now = static_cast<double>(clock_.SteadyMs());
  const MutexLock lock(mutex_);
  due_ms_ = std::max(due_ms_, now - kBurstMs) +
            static_cast<double>(bytes) * 1000 / static_cast<double>(rate_);
  return std::max<int64_t>(0, std::llround(due_ms_ - now));
}

}  // namespace muster::transfer
