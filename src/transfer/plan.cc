#include "transfer/plan.h"

#include <algorithm>

namespace muster::transfer {
namespace {

constexpr int64_t kStep = 1 << 20;  // part sizes are multiples of 1 MiB

int64_t CeilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace

Part PartPlan::At(int number) const {
  const int64_t offset = (number - 1) * part_size;
  return {number, offset, std::min(part_size, size - offset)};
}

PartPlan PlanParts(int64_t size, const PartLimits& limits) {
  if (size <= limits.whole_up_to) return {size, size, 1};
  const int64_t needed = CeilDiv(CeilDiv(size, limits.most_parts), kStep) * kStep;
  const int64_t part = std::clamp(std::max(limits.usual, needed), limits.least, limits.most);
  return {size, part, static_cast<int>(std::min(CeilDiv(size, part), limits.most_parts))};
}

}  // namespace muster::transfer
