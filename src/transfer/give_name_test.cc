#include "transfer/give_name.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "os/temp_dir.h"

namespace muster::transfer {
namespace {

using testing::HasSubstr;

class GiveNameTest : public testing::Test {
 protected:
  LocalTree::Place Place(const std::string& name) {
    return LocalTree(dir_.path()).PlaceFor(name).value();
  }
  os::Fd Unnamed(std::string_view content) {
    os::Fd fd(::open(dir_.path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666));
    EXPECT_TRUE(os::WriteAll(fd.get(), content));
    return fd;
  }
  size_t Names() const {
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(dir_.path())) {
      count += entry.exists() || entry.is_symlink() ? 1 : 0;
    }
    return count;
  }

  os::TempDir dir_;
};

TEST_F(GiveNameTest, ConcurrentReplacementsAllSucceedAndTheLastWins) {
  std::ofstream(dir_ / "f") << "old";
  std::atomic<int> failures = 0;
  {
    std::vector<std::jthread> hands;
    for (int hand = 0; hand < 8; ++hand) {
      hands.emplace_back([&, hand] {
        for (int round = 0; round < 25; ++round) {
          const os::Fd fd = Unnamed(std::string(100, static_cast<char>('a' + hand)));
          if (!GiveName(fd.get(), Place("f"))) ++failures;
        }
      });
    }
  }
  EXPECT_EQ(failures, 0);
  const std::string content = os::ReadFile(dir_ / "f").value();
  EXPECT_EQ(content, std::string(100, content[0]));
  EXPECT_EQ(Names(), 1u);
}

TEST_F(GiveNameTest, LeftoverOfAKillIsRemovedByTheNextReplacement) {
  std::ofstream(dir_ / "f") << "old";
  // The state after a kill: the temporary name of a file is always the same.
  const std::string random = os::TemporaryName();
  const size_t hex = random.find_last_not_of("0123456789abcdef") + 1;
  const std::string temporary =
      random.substr(0, hex) + os::Sha256("f").substr(0, random.size() - hex);
  ASSERT_TRUE(os::IsTemporaryName(temporary));
  std::ofstream(dir_ / temporary) << "left";
  const os::Fd fd = Unnamed("newest");
  ASSERT_TRUE(GiveName(fd.get(), Place("f")));
  EXPECT_EQ(os::ReadFile(dir_ / "f").value(), "newest");
  EXPECT_EQ(Names(), 1u);
}

TEST_F(GiveNameTest, OnlyRegularFilesAreReplaced) {
  ASSERT_EQ(::mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(dir_ / "folder");
  std::filesystem::create_symlink("nothing", dir_ / "link");
  std::filesystem::create_symlink("/dev/null", dir_ / "null");
  for (const char* name : {"pipe", "folder", "link", "null"}) {
    const os::Fd fd = Unnamed("x");
    const Status given = GiveName(fd.get(), Place(name));
    ASSERT_FALSE(given) << name;
    EXPECT_EQ(given.error().code, Code::kConflict) << name;
    EXPECT_THAT(given.error().text, HasSubstr("in the way"));
    EXPECT_FALSE(CheckReplaceable(Place(name)));
    EXPECT_FALSE(std::filesystem::is_regular_file(std::filesystem::symlink_status(dir_ / name)))
        << name;
  }
  EXPECT_TRUE(CheckReplaceable(Place("free")));
}

TEST_F(GiveNameTest, LinksAreFollowedToExistingAndNewFiles) {
  std::filesystem::create_directory(dir_ / "there");
  std::ofstream(dir_ / "there/file") << "x";
  std::filesystem::create_symlink("file", dir_ / "there/second");
  std::filesystem::create_symlink("there/second", dir_ / "first");
  std::filesystem::create_symlink("there/nothing", dir_ / "dangling");
  std::filesystem::create_symlink("circle", dir_ / "circle");
  EXPECT_EQ(FollowLinks(dir_ / "first").value(), dir_ / "there/file");
  EXPECT_EQ(FollowLinks(dir_ / "dangling").value(), dir_ / "there/nothing");
  EXPECT_EQ(FollowLinks(dir_ / "free").value(), dir_ / "free");
  EXPECT_EQ(FollowLinks(dir_ / "circle").error().code, Code::kConflict);
  EXPECT_EQ(FollowLinks("/proc/self/fd/1").error().code, Code::kConflict);
}

}  // namespace
}  // namespace muster::transfer
