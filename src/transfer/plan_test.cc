#include "transfer/plan.h"

#include <gmock/gmock.h>

namespace muster::transfer {
namespace {

constexpr int64_t kMiB = 1 << 20, kGiB = 1 << 30;

TEST(PlanParts, SmallObjectsHaveOnePart) {
  for (const int64_t size : {int64_t{0}, int64_t{1}, 32 * kMiB}) {
    const PartPlan plan = PlanParts(size, {});
    EXPECT_EQ(plan.count, 1);
    EXPECT_EQ(plan.At(1).length, size);
  }
  EXPECT_EQ(PlanParts(32 * kMiB + 1, {}).count, 3);
}

TEST(PlanParts, PartsCoverTheObjectWithoutGaps) {
  for (const int64_t size : {33 * kMiB, 64 * kMiB, 64 * kMiB + 1, 5 * kGiB, 1000 * kGiB + 7}) {
    const PartPlan plan = PlanParts(size, {});
    int64_t end = 0;
    for (int number = 1; number <= plan.count; ++number) {
      const Part part = plan.At(number);
      ASSERT_EQ(part.offset, end);
      ASSERT_EQ(part.number, number);
      ASSERT_GT(part.length, 0);
      ASSERT_TRUE(part.length == plan.part_size || number == plan.count);
      end += part.length;
    }
    EXPECT_EQ(end, size);
  }
}

TEST(PlanParts, PartsGrowIfTheirNumberWouldExceedTheLimit) {
  const PartPlan plan = PlanParts(5000 * kGiB, {});
  EXPECT_LE(plan.count, 10'000);
  EXPECT_GE(plan.part_size, 512 * kMiB);
}

TEST(PlanParts, NoPartIsBelowTheMinimum) {
  EXPECT_EQ(PlanParts(100 * kMiB, {.usual = kMiB, .whole_up_to = 1}).part_size, 5 * kMiB);
  EXPECT_EQ(PlanParts(100 * kMiB, {.least = 1, .usual = kMiB, .whole_up_to = 1}).count, 100);
}

}  // namespace
}  // namespace muster::transfer
