#include "objects/temp_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include <gtest/gtest.h>

#include "os/temp_dir.h"

namespace muster::objects {
namespace {

// Both kinds: without a name, and with one, as where the file system knows no others.
class TempFileTest : public testing::TestWithParam<bool> {
 protected:
  TempFile Holding(const std::string& text) {
    if (GetParam()) {
      EXPECT_TRUE(os::WriteFileAtomic(dir_ / "tmp/x", text, 0644, false));
      return TempFile::Adopt(tmp_, tmp_.Open("x", O_RDWR).value(), "x");
    }
    TempFile file = TempFile::Make({std::shared_ptr<void>(), &tmp_}, nullptr).value();
    EXPECT_TRUE(file.Write(text));
    return file;
  }
  Folder Made(const char* name) {
    EXPECT_TRUE(os::MakeDirs(dir_ / name));
    return Folder::Open(dir_ / name).value();
  }
  std::string Content(const char* name) const {
    return os::ReadFile(dir_ / "to" / name, 1000).value_or("none");
  }

  os::TempDir dir_;
  Folder tmp_ = Made("tmp"), to_ = Made("to");
};

TEST_P(TempFileTest, HasOneNameWhereItWasMovedTo) {
  {
    TempFile file = Holding("bytes");
    ASSERT_EQ(file.MoveTo(to_.fd(), "leaf"), 0);
    struct stat info{};
    ASSERT_EQ(::fstat(file.fd(), &info), 0);
    EXPECT_EQ(info.st_nlink, 1U);
  }
  EXPECT_EQ(Content("leaf"), "bytes");
  EXPECT_TRUE(std::filesystem::is_empty(dir_ / "tmp"));
}

TEST_P(TempFileTest, TakesTheNameOfAnotherAndReadersKeepWhatTheyHave) {
  ASSERT_TRUE(os::WriteFileAtomic(dir_ / "to/leaf", "old", 0644, false));
  const os::Fd reader = to_.Open("leaf", O_RDONLY).value();
  TempFile file = Holding("new");
  ASSERT_EQ(file.MoveTo(to_.fd(), "leaf"), 0);
  EXPECT_EQ(Content("leaf"), "new");
  char bytes[8] = {};
  EXPECT_EQ(::pread(reader.get(), bytes, sizeof bytes, 0), 3);
  EXPECT_STREQ(bytes, "old");
  EXPECT_TRUE(std::filesystem::is_empty(dir_ / "tmp"));
}

TEST_P(TempFileTest, AFolderIsNotReplacedAndAnotherPlaceCanBeTried) {
  ASSERT_TRUE(os::MakeDirs(dir_ / "to/leaf"));
  TempFile file = Holding("bytes");
  EXPECT_EQ(file.MoveTo(to_.fd(), "leaf"), -1);
  EXPECT_EQ(errno, EISDIR);
  EXPECT_EQ(file.MoveTo(to_.fd(), "beside"), 0);
  EXPECT_EQ(Content("beside"), "bytes");
  EXPECT_TRUE(std::filesystem::is_empty(dir_ / "tmp"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, TempFileTest, testing::Bool(),
                         [](const auto& kind) { return kind.param ? "Named" : "Nameless"; });

TEST(TempFileLeavingsTest, OneThatWasGivenUpLeavesNothing) {
  const os::TempDir dir;
  const Folder folder = Folder::Open(dir.path()).value();
  {
    TempFile file = TempFile::Make({std::shared_ptr<void>(), &folder}, nullptr).value();
    ASSERT_TRUE(file.Write("bytes"));
    ASSERT_TRUE(os::MakeDirs(dir / "leaf"));
    EXPECT_EQ(file.MoveTo(folder.fd(), "leaf"), -1);
  }
  std::filesystem::remove(dir / "leaf");
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

}  // namespace
}  // namespace muster::objects
