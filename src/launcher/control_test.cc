#include "launcher/control.h"

#include <fcntl.h>

#include <vector>

#include <gtest/gtest.h>

#include "os/fake_loop.h"
#include "os/temp_dir.h"

namespace muster::launcher {
namespace {

class ControlTest : public testing::Test {
 protected:
  void Write(const std::string& bytes) {
    const auto file = os::Open(dir_ / "control", O_WRONLY | O_CREAT | O_APPEND);
    ASSERT_TRUE(file);
    ASSERT_TRUE(os::WriteAll(file->get(), bytes));
  }

  os::TempDir dir_;
  os::FakeLoop loop_;
  std::vector<ControlLine> told_;
  Control control_{loop_, dir_.path(), [this](const ControlLine& line) { told_.push_back(line); }};
};

TEST_F(ControlTest, MissingFileHasNoLines) {
  control_.Read();
  EXPECT_TRUE(told_.empty());
}

TEST_F(ControlTest, EachLineIsReportedOnceAndTornLinesWhenComplete) {
  const std::string line = EncodeControlLine({StoppedBy::kUser, -1, -1, "stop", 5});
  Write(line + line.substr(0, 10));
  control_.Read();
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(told_[0].grace_ms, 5);
  control_.Read();
  EXPECT_EQ(told_.size(), 1u);
  Write(line.substr(10));
  control_.Read();
  EXPECT_EQ(told_.size(), 2u);
}

TEST_F(ControlTest, NewsAreCompleteUnreadLines) {
  EXPECT_FALSE(control_.HasNews());
  const std::string line = EncodeControlLine({StoppedBy::kUser, -1, -1, "stop", 5});
  Write(line.substr(0, 10));
  EXPECT_FALSE(control_.HasNews());
  Write(line.substr(10));
  EXPECT_TRUE(control_.HasNews());
  EXPECT_TRUE(told_.empty());
  control_.Read();
  EXPECT_FALSE(control_.HasNews());
}

TEST_F(ControlTest, LinesAreReportedFromTheStart) {
  const std::string line = EncodeControlLine({StoppedBy::kUser, -1, -1, "stop", 5});
  Write(line);
  loop_.Advance(10);
  EXPECT_EQ(told_.size(), 1u) << "while it looks by itself";
  loop_.Advance(1000);
  Write(line);
  loop_.ReadyAll();
  EXPECT_EQ(told_.size(), 2u) << "while it listens";
}

TEST_F(ControlTest, BadLinesAreSkippedAndLaterGoodLinesReported) {
  Write("\n\ngarbage\n00000000 {}\n" + EncodeControlLine({StoppedBy::kUser, -1, -1, "", -1}));
  control_.Read();
  EXPECT_EQ(told_.size(), 1u);
}

TEST_F(ControlTest, FailureIsWrittenOnlyIfNoneExists) {
  control_.Tell({StoppedBy::kRankFailure, 0, 3, "mine", -1});
  control_.Tell({StoppedBy::kRankFailure, 0, 4, "mine too", -1});
  control_.Read();
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(told_[0].rank, 3);
  control_.Tell({StoppedBy::kTimeLimit, 0, -1, "", -1});
  control_.Read();
  EXPECT_EQ(told_.size(), 2u);
}

TEST_F(ControlTest, EarlierFailureOfAnotherNodeStaysTheOnlyOne) {
  Write(EncodeControlLine({StoppedBy::kRankFailure, 1, 9, "theirs", -1}));
  control_.Tell({StoppedBy::kRankFailure, 0, 3, "mine", -1});
  control_.Read();
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(told_[0].rank, 9);
}

}  // namespace
}  // namespace muster::launcher
