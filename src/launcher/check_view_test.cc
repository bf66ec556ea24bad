#include "launcher/check_view.h"

#include <gtest/gtest.h>

#include "os/file.h"
#include "os/temp_dir.h"

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

// Two names of one folder stand for a mount: they lead to the same inode.
class CheckViewTest : public ::testing::Test {
 protected:
  void SetUp() override {
    order_.attempt_dir = (dir_ / "attempt").string();
    source_ = dir_ / "attempt/inputs/data";
    shown_ = dir_ / "shown";
    ASSERT_TRUE(os::MakeDirs(source_));
    fs::create_directory_symlink(source_, shown_);
    order_.view.emplace().mounts.push_back({.path = shown_, .source = source_});
  }
  ViewMount& mount() { return order_.view->mounts.front(); }
  void ReplaceShownByEmptyFolder() const {
    fs::remove(shown_);
    fs::create_directory(shown_);
  }

  os::TempDir dir_;
  os::Path source_, shown_;
  NodeOrder order_;
};

TEST_F(CheckViewTest, MountOfTheSourcePasses) { EXPECT_TRUE(CheckView(order_)); }

TEST_F(CheckViewTest, OrderWithoutViewPasses) {
  order_.view.reset();
  EXPECT_TRUE(CheckView(order_));
}

TEST_F(CheckViewTest, MountOfAnotherFolderFailsAndNamesBoth) {
  ReplaceShownByEmptyFolder();
  const auto status = CheckView(order_);
  ASSERT_FALSE(status);
  EXPECT_TRUE(status.error().text.contains(shown_.string())) << status.error().text;
  EXPECT_TRUE(status.error().text.contains(source_.string())) << status.error().text;
}

TEST_F(CheckViewTest, AnyFolderOfTheJobIsChecked) {
  order_.attempt_dir = "/elsewhere";
  ReplaceShownByEmptyFolder();
  EXPECT_FALSE(CheckView(order_));
}

TEST_F(CheckViewTest, MissingLocalInputFailsAndNamesIt) {
  mount() = {.path = shown_, .source = dir_ / "missing", .given = true};
  const auto status = CheckView(order_);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kNotFound);
  EXPECT_TRUE(status.error().text.contains((dir_ / "missing").string())) << status.error().text;
}

TEST_F(CheckViewTest, InputThatIsNotShownFails) {
  fs::remove(shown_);
  EXPECT_FALSE(CheckView(order_));
}

TEST_F(CheckViewTest, FolderThatTheMachineProvidesIsNotCompared) {
  mount().if_absent = true;
  ReplaceShownByEmptyFolder();
  EXPECT_TRUE(CheckView(order_));
}

}  // namespace
}  // namespace muster::launcher
