#include "os/reserve.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "os/file.h"
#include "os/temp_dir.h"

namespace muster::os {
namespace {

constexpr int64_t kReserve = 1 << 20;

int64_t BytesOnDisk(int fd) {
  struct stat info{};
  return ::fstat(fd, &info) == 0 ? int64_t(info.st_blocks) * 512 : -1;
}

TEST(ReserveTest, BlocksAreKeptBehindTheEnd) {
  const TempDir folder;
  const auto file = Open(folder / "file", O_RDWR | O_CREAT | O_APPEND);
  ASSERT_TRUE(WriteAll(file->get(), "text"));
  if (::fallocate(file->get(), FALLOC_FL_KEEP_SIZE, 4, 1) != 0)
    GTEST_SKIP() << "this file system reserves nothing";
  ASSERT_EQ(ReserveBehind(file->get(), kReserve), 0);
  EXPECT_GE(BytesOnDisk(file->get()), kReserve);
  EXPECT_EQ(FileSize(folder / "file").value(), 4);
  ASSERT_TRUE(WriteAll(file->get(), " and more"));
  EXPECT_EQ(ReadFile(folder / "file").value(), "text and more");
}

TEST(ReserveTest, NearestReserveAboveAFileIsGivenUpOnce) {
  const TempDir folder;
  const Path deep = folder / "jobs/1/node0";
  ASSERT_TRUE(MakeDirs(deep));
  const auto file = Open(deep / "record", O_WRONLY | O_CREAT);
  ASSERT_TRUE(file);
  EXPECT_FALSE(GiveUpReserve(file->get())) << "there is none";
  KeepReserve(folder.path(), kReserve);
  const Path reserve = folder / kReserveFile;
  ASSERT_EQ(FileSize(reserve).value(), kReserve);
  EXPECT_TRUE(GiveUpReserve(file->get()));
  EXPECT_EQ(FileSize(reserve).value(), 0);
  EXPECT_FALSE(GiveUpReserve(file->get()));
  KeepReserve(folder.path(), kReserve);
  EXPECT_EQ(FileSize(reserve).value(), kReserve);
}

TEST(ReserveTest, DescriptorThatIsNoFileReservesNothing) {
  EXPECT_EQ(ReserveBehind(-1, kReserve), EBADF);
  EXPECT_FALSE(GiveUpReserve(-1));
}

}  // namespace
}  // namespace muster::os
