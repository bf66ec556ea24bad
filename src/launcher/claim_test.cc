#include "launcher/claim.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "os/file.h"
#include "os/temp_dir.h"

namespace muster::launcher {
namespace {

TEST(ClaimTest, FirstCallGetsALockedEmptyRecordAndLaterCallsNothing) {
  const os::TempDir dir;
  auto first = ClaimRecord(dir.path());
  ASSERT_TRUE(first);
  ASSERT_TRUE(*first);
  EXPECT_TRUE(os::IsLocked(dir / "record"));
  EXPECT_EQ(os::FileSize(dir / "record").value(), 0);
  const auto second = ClaimRecord(dir.path());
  ASSERT_TRUE(second);
  EXPECT_FALSE(*second);
  first->reset();
  const auto later = ClaimRecord(dir.path());
  ASSERT_TRUE(later);
  EXPECT_FALSE(*later) << "a record of a dead launcher is not taken over";
  EXPECT_FALSE(os::IsLocked(dir / "record"));
}

TEST(ClaimTest, OneOfManyConcurrentCallsSucceeds) {
  const os::TempDir dir;
  std::atomic<int> won = 0;
  std::vector<std::jthread> threads;
  std::vector<Result<std::optional<os::Fd>>> claims(8);
  for (auto& claim : claims)
    threads.emplace_back([&] {
      claim = ClaimRecord(dir.path());
      if (claim && *claim) ++won;
    });
  threads.clear();
  EXPECT_EQ(won, 1);
  const auto count = std::distance(std::filesystem::directory_iterator(dir.path()), {});
  EXPECT_EQ(count, 1) << "drafts of the losers stay behind";
}

TEST(ClaimTest, MissingFolderIsAnError) { EXPECT_FALSE(ClaimRecord("/nowhere/node0")); }

}  // namespace
}  // namespace muster::launcher
