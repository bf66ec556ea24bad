#include "os/file_identity.h"

#include <fcntl.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/temp_dir.h"

namespace muster::os {
namespace {

using testing::HasSubstr;

class FileGuardTest : public testing::Test {
 protected:
  FileGuardTest() {
    EXPECT_TRUE(WriteFileAtomic(file_, "one"));
    guard_.Add(file_, IdentityOf(file_).value());
  }
  TempDir folder_;
  const Path file_ = folder_ / "file";
  FileGuard guard_;
};

TEST_F(FileGuardTest, UnchangedFilePasses) {
  EXPECT_TRUE(guard_.Check());
  auto file = Open(file_, O_WRONLY | O_APPEND);
  ASSERT_TRUE(WriteAll(file->get(), "more"));
  EXPECT_TRUE(guard_.Check()) << "its content may change";
  EXPECT_EQ(IdentityOf(file->get()).value(), IdentityOf(file_).value());
}

TEST_F(FileGuardTest, RemovedFileIsNamed) {
  std::filesystem::remove(file_);
  const auto status = guard_.Check();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kIo);
  EXPECT_THAT(status.error().text, HasSubstr(file_.string() + " was removed"));
}

TEST_F(FileGuardTest, ReplacedFileIsNamedUntilTheOriginalIsBack) {
  std::filesystem::rename(file_, folder_ / "aside");
  ASSERT_TRUE(WriteFileAtomic(file_, "one"));
  const auto status = guard_.Check();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().text, HasSubstr("was replaced"));
  std::filesystem::rename(folder_ / "aside", file_);
  EXPECT_TRUE(guard_.Check());
}

TEST_F(FileGuardTest, RemovedFolderIsNoticed) {
  std::filesystem::remove_all(folder_.path());
  EXPECT_FALSE(guard_.Check());
}

}  // namespace
}  // namespace muster::os
