#include "objects/file_copy.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "os/temp_dir.h"

namespace muster::objects {
namespace {

// Longer than what is copied at once, and different in every place.
std::string Content() {
  std::string text;
  for (int i = 0; text.size() < (3 << 20); ++i) text += std::to_string(i) + ",";
  return text;
}

class FileCopyTest : public testing::Test {
 protected:
  os::Fd Make(const char* name, std::string_view content, int flags = O_RDWR) {
    EXPECT_TRUE(os::WriteFileAtomic(dir_ / name, content));
    return std::move(os::Open(dir_ / name, flags)).value();
  }
  // In memory, which is another file system than that of the folder.
  static os::Fd InMemory(std::string_view content) {
    os::Fd fd(::memfd_create("copy", MFD_CLOEXEC));
    EXPECT_TRUE(os::WriteAll(fd.get(), content));
    return fd;
  }
  std::string Read(const char* name) { return os::ReadFile(dir_ / name).value(); }

  os::TempDir dir_;
};

TEST_F(FileCopyTest, CopiesARangeWithinOneFileSystem) {
  const std::string content = Content();
  const os::Fd from = Make("from", content), to = Make("to", "0123456789");
  ASSERT_TRUE(CopyBytes(from.get(), 7, to.get(), 3, int64_t(content.size()) - 7));
  EXPECT_EQ(Read("to"), "012" + content.substr(7));
}

TEST_F(FileCopyTest, CopiesThroughMemoryBetweenFileSystems) {
  const std::string content = Content();
  const os::Fd from = InMemory(content), to = Make("to", "");
  ASSERT_TRUE(CopyBytes(from.get(), 5, to.get(), 0, int64_t(content.size()) - 5));
  EXPECT_EQ(Read("to"), content.substr(5));
}

// The kernel refuses copy_file_range for a target opened with O_APPEND (EBADF).
TEST_F(FileCopyTest, CopiesThroughMemoryWhereTheKernelRefuses) {
  const os::Fd from = Make("from", "hello"), to = Make("to", "", O_RDWR | O_APPEND);
  ASSERT_TRUE(CopyBytes(from.get(), 0, to.get(), 0, 5));
  EXPECT_EQ(Read("to"), "hello");
}

TEST_F(FileCopyTest, TargetThatCannotBeWrittenIsAnError) {
  const os::Fd from = Make("from", "hello"), to = Make("to", "old", O_RDONLY);
  EXPECT_FALSE(CopyBytes(from.get(), 0, to.get(), 0, 5));
  EXPECT_EQ(Read("to"), "old");
}

TEST_F(FileCopyTest, SourceThatIsTooShortIsCorrupt) {
  const os::Fd from = Make("from", "hello"), memory = InMemory("hello"), to = Make("to", "");
  EXPECT_EQ(CopyBytes(from.get(), 0, to.get(), 0, 6).error().code, Code::kCorrupt);
  EXPECT_EQ(CopyBytes(memory.get(), 1, to.get(), 0, 5).error().code, Code::kCorrupt);
  EXPECT_TRUE(CopyBytes(from.get(), 5, to.get(), 0, 0));
}

TEST_F(FileCopyTest, DigestsAreThoseOfTheCopiedBytes) {
  const os::Fd from = Make("from", "xxhello"), to = Make("to", "");
  const auto sums = CopyAndSum(from.get(), 2, to.get(), 0, 5, s3::DigestKind::kSha256);
  ASSERT_TRUE(sums);
  EXPECT_EQ(sums->size, 5);
  EXPECT_EQ(Read("to"), "hello");
  ASSERT_TRUE(sums->checksum);
  EXPECT_EQ(sums->checksum->value, "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=");
}

}  // namespace
}  // namespace muster::objects
