#include "os/shared_lock.h"

#include <fcntl.h>

#include <gtest/gtest.h>

#include "os/file.h"
#include "os/temp_dir.h"

namespace muster::os {
namespace {

TEST(SharedLockTest, ExcludesExclusiveLocksOnly) {
  const TempDir dir;
  auto first = Open(dir / "lock", O_RDWR | O_CREAT);
  auto second = Open(dir / "lock", O_RDWR | O_CREAT);
  auto third = Open(dir / "lock", O_RDWR | O_CREAT);
  ASSERT_TRUE(first && second && third);
  EXPECT_EQ(TryLockShared(first->get()), true);
  EXPECT_EQ(TryLockShared(second->get()), true);
  EXPECT_EQ(TryLock(third->get()), false);
  EXPECT_TRUE(IsLocked(dir / "lock"));
  first->Reset();
  second->Reset();
  EXPECT_EQ(TryLock(third->get()), true);
  EXPECT_EQ(TryLockShared(first->get()).has_value(), false);  // closed
}

}  // namespace
}  // namespace muster::os
