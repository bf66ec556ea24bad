#include "launcher/work_folder.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "launcher/stage.h"
#include "os/temp_dir.h"

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

class WorkFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(os::MakeDirs(dir_ / "code"));
    Write(dir_ / "code/train.py", "original");
  }

  NodeOrder Order(int attempt, bool shared = false) const {
    NodeOrder order;
    order.attempt = attempt;
    order.attempt_dir = (dir_ / "attempts" / std::to_string(attempt)).string();
    order.dir = order.attempt_dir + "/node0";
    order.work_dir = (shared ? order.attempt_dir : order.dir) + "/work";
    order.work_shared = shared;
    order.code_dir = dir_ / "code";
    if (attempt > 1) order.taken_over = {order.work_dir, order.dir + "/home"};
    EXPECT_TRUE(os::MakeDirs(order.dir));
    return order;
  }
  // What a launcher does before ranks start.
  static std::vector<std::string> Prepare(const NodeOrder& order) {
    std::vector<std::string> notes = TakeOverWork(order);
    const SystemClock clock;
    const auto staged = Stage(order, clock, [] { return true; });
    EXPECT_TRUE(staged) << staged.error().text;
    return notes;
  }
  static void Write(const os::Path& path, const std::string& text) {
    EXPECT_TRUE(os::MakeDirs(path.parent_path()));
    EXPECT_TRUE(os::WriteFileAtomic(path, text, 0644, false));
  }
  static std::string Read(const os::Path& path) { return os::ReadFile(path).value_or("(none)"); }

  os::TempDir dir_;
};

TEST_F(WorkFolderTest, FirstAttemptCopiesTheCode) {
  const NodeOrder order = Order(1);
  EXPECT_TRUE(Prepare(order).empty());
  EXPECT_EQ(Read(order.work_dir + "/code/train.py"), "original");
}

TEST_F(WorkFolderTest, RetryHasTheFilesAsTheRanksLeftThem) {
  const NodeOrder first = Order(1), second = Order(2);
  Prepare(first);
  Write(first.work_dir + "/code/snapshot.pt", "epoch 3");
  Write(first.work_dir + "/code/train.py", "changed by a rank");
  Write(first.dir + "/home/notes", "kept");
  const auto notes = Prepare(second);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(notes[0].starts_with("attempt 2 continues in the working folder of attempt 1"));
  EXPECT_EQ(Read(second.work_dir + "/code/snapshot.pt"), "epoch 3");
  EXPECT_EQ(Read(second.work_dir + "/code/train.py"), "changed by a rank");
  EXPECT_EQ(Read(second.dir + "/home/notes"), "kept");
  // Absolute paths of the first attempt stay valid.
  EXPECT_EQ(Read(first.work_dir + "/code/snapshot.pt"), "epoch 3");
}

TEST_F(WorkFolderTest, FileThatARankRemovedStaysRemoved) {
  Prepare(Order(1));
  fs::remove(Order(1).work_dir + "/code/train.py");
  const NodeOrder second = Order(2);
  Prepare(second);
  EXPECT_FALSE(fs::exists(second.work_dir + "/code/train.py"));
}

TEST_F(WorkFolderTest, IncompleteCopyIsNotTakenOver) {
  const NodeOrder first = Order(1), second = Order(2);
  Write(first.work_dir + "/code/half", "of the code");  // its launcher was killed while it copied
  const auto notes = Prepare(second);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(notes[0].starts_with("attempt 2 starts in a new working folder")) << notes[0];
  EXPECT_EQ(Read(second.work_dir + "/code/train.py"), "original");
  EXPECT_FALSE(fs::exists(second.work_dir + "/code/half"));
}

TEST_F(WorkFolderTest, AttemptThatNeverBeganIsSkipped) {
  Prepare(Order(1));
  Write(Order(1).work_dir + "/code/snapshot.pt", "epoch 3");
  Order(2);  // nothing but its folder
  const NodeOrder third = Order(3);
  const auto notes = Prepare(third);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(notes[0].contains("of attempt 1")) << notes[0];
  EXPECT_EQ(Read(third.work_dir + "/code/snapshot.pt"), "epoch 3");
}

TEST_F(WorkFolderTest, TakeOverThatWasInterruptedLosesNothing) {
  Prepare(Order(1));
  Write(Order(1).work_dir + "/code/snapshot.pt", "epoch 3");
  Write(Order(1).dir + "/home/notes", "kept");
  // The launcher of attempt 2 moved one folder and was killed.
  fs::rename(Order(1).dir + "/home", Order(2).dir + "/home");
  const NodeOrder third = Order(3);
  Prepare(third);
  EXPECT_EQ(Read(third.work_dir + "/code/snapshot.pt"), "epoch 3");
  EXPECT_EQ(Read(third.dir + "/home/notes"), "kept");
}

TEST_F(WorkFolderTest, OrderWithoutTakeOverStartsFresh) {
  Prepare(Order(1));
  Write(Order(1).work_dir + "/code/snapshot.pt", "epoch 3");
  NodeOrder second = Order(2);
  second.taken_over.clear();
  EXPECT_TRUE(Prepare(second).empty());
  EXPECT_FALSE(fs::exists(second.work_dir + "/code/snapshot.pt"));
  EXPECT_EQ(Read(Order(1).work_dir + "/code/snapshot.pt"), "epoch 3");
}

TEST_F(WorkFolderTest, NodesShareOneFolderAndOneOfThemPreparesIt) {
  for (int attempt = 1; attempt <= 2; ++attempt) {
    const NodeOrder one = Order(attempt, /*shared=*/true);
    NodeOrder other = one;
    other.node = 1;
    other.dir = one.attempt_dir + "/node1";
    Prepare(one);
    Write(one.work_dir + "/code/snapshot.pt", "epoch 3");
    EXPECT_TRUE(Prepare(other).empty());
    EXPECT_EQ(Read(one.work_dir + "/code/snapshot.pt"), "epoch 3");
    EXPECT_EQ(Read(one.work_dir + "/code/train.py"), "original");
  }
}

}  // namespace
}  // namespace muster::launcher
