#include "launcher/settled.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <gtest/gtest.h>

#include "os/fd.h"
#include "os/temp_dir.h"

namespace muster::launcher {
namespace {

TEST(SettledTest, FilesThatChangeBetweenLooksWait) {
  const FolderLook before{{"a", "1"}, {"b", "1"}, {"c", "1"}, {"gone", "1"}, {"again", "2"}};
  const FolderLook now{{"a", "1"}, {"b", "2"}, {"c", "1"}, {"new", "1"}, {"again", "2"}};
  const FolderLook copied{{"c", "1"}, {"again", "1"}};
  EXPECT_EQ(Settled(before, now, copied), (std::vector<std::string>{"a", "again"}));
}

TEST(SettledTest, OpenForWritingIsDetected) {
  const os::TempDir dir;
  const os::Path path = dir.path() / "x";
  auto writer = os::Open(path, O_RDWR | O_CREAT);
  ASSERT_TRUE(writer);
  EXPECT_TRUE(IsBeingWritten(path));
  ASSERT_EQ(::ftruncate(writer->get(), 4096), 0);
  void* map = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, writer->get(), 0);
  ASSERT_NE(map, MAP_FAILED);
  *writer = os::Fd();
  EXPECT_TRUE(IsBeingWritten(path));
  ::munmap(map, 4096);
  EXPECT_FALSE(IsBeingWritten(path));
  const auto reader = os::Open(path, O_RDONLY);
  EXPECT_FALSE(IsBeingWritten(path));
  EXPECT_FALSE(IsBeingWritten(dir.path() / "none"));
}

}  // namespace
}  // namespace muster::launcher
