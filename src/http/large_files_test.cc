#include "http/large_files.h"

#include <optional>

#include <gtest/gtest.h>

namespace muster::http {
namespace {

TEST(LargeFiles, FileIsAloneUntilAnotherStartsAndShortlyAfterItEnded) {
  LargeFiles files;
  const auto now = LargeFiles::Clock::now();
  const LargeFiles::One one(files);
  EXPECT_TRUE(files.IsAlone(now));
  {
    const LargeFiles::One other(files);
    EXPECT_FALSE(files.IsAlone(now));
  }
  EXPECT_FALSE(files.IsAlone(now + LargeFiles::kMoment / 2));
  EXPECT_TRUE(files.IsAlone(now + 2 * LargeFiles::kMoment));
}

}  // namespace
}  // namespace muster::http
