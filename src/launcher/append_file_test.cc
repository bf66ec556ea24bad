#include "launcher/append_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include <gtest/gtest.h>

#include "launcher/record_writer.h"
#include "os/fake_loop.h"
#include "os/file.h"
#include "os/temp_dir.h"

namespace muster::launcher {
namespace {

// Simulates a full disk after this many bytes of a file, while the object exists.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, SIG_DFL);
  }

 private:
  rlimit before_{};
};

os::Fd OpenAppend(const os::Path& path) {
  return std::move(os::Open(path, O_WRONLY | O_CREAT | O_APPEND)).value();
}

TEST(AppendFileTest, LinesWaitForSpaceAndKeepTheirOrder) {
  const os::TempDir dir;
  os::FakeLoop loop;
  AppendFile file(loop, OpenAppend(dir / "f"), "f");
  file.Append("first\n");
  bool settled = false;
  {
    const FullDisk disk(10);  // the second line is written partially
    file.Append("second\n");
    file.Append("third\n");
    EXPECT_FALSE(file.settled());
    file.WhenSettled([&] { settled = true; });
    loop.Advance(5000);
    EXPECT_EQ(os::ReadFile(dir / "f").value(), "first\nseco");
  }
  EXPECT_FALSE(settled);
  loop.Advance(500);
  EXPECT_TRUE(settled);
  EXPECT_EQ(os::ReadFile(dir / "f").value(), "first\nsecond\nthird\n");
}

TEST(AppendFileTest, HeldLinesAreWrittenInOneCall) {
  const os::TempDir dir;
  os::FakeLoop loop;
  AppendFile file(loop, OpenAppend(dir / "f"), "f");
  const auto text = [&] { return os::ReadFile(dir / "f").value(); };
  file.Hold();
  file.Append("first\n");
  EXPECT_EQ(text(), "");
  file.WriteNow();  // gathering continues afterwards
  file.Hold();
  file.Append("second\n");
  file.Release();
  bool settled = false;
  file.WhenSettled([&] { settled = true; });
  EXPECT_EQ(text(), "first\n");
  EXPECT_FALSE(settled);
  file.Release();
  EXPECT_EQ(text(), "first\nsecond\n");
  EXPECT_TRUE(settled);
}

TEST(AppendFileTest, HeldLinesWaitForALineWithoutSpace) {
  const os::TempDir dir;
  os::FakeLoop loop;
  AppendFile file(loop, OpenAppend(dir / "f"), "f");
  {
    const FullDisk disk(3);
    file.Append("first\n");
    file.Hold();
    file.Append("second\n");
    file.Release();
    EXPECT_EQ(os::ReadFile(dir / "f").value(), "fir");
  }
  loop.Advance(500);
  EXPECT_EQ(os::ReadFile(dir / "f").value(), "first\nsecond\n");
}

TEST(AppendFileTest, SettledFileCallsBackImmediately) {
  const os::TempDir dir;
  os::FakeLoop loop;
  AppendFile file(loop, OpenAppend(dir / "f"), "f");
  bool settled = false;
  file.WhenSettled([&] { settled = true; });
  EXPECT_TRUE(settled);
}

TEST(AppendFileTest, DestructionCancelsTheRetryTimer) {
  const os::TempDir dir;
  os::FakeLoop loop;
  {
    const FullDisk disk(0);
    AppendFile file(loop, OpenAppend(dir / "f"), "f");
    file.Append("x");
    EXPECT_EQ(loop.timer_count(), 1u);
  }
  EXPECT_EQ(loop.timer_count(), 0u);
}

TEST(RecordWriterTest, LinesHaveWallClockAndTimeSinceStart) {
  const os::TempDir dir;
  os::FakeLoop loop;
  RecordWriter record(loop, OpenAppend(dir / "record"));
  loop.Advance(250);
  record.Append({RankStarted{1, 2, 3}, LauncherEnded{true}});
  const auto part = DecodeRecord(os::ReadFile(dir / "record").value());
  ASSERT_TRUE(part);
  ASSERT_EQ(part->lines.size(), 2u);
  EXPECT_EQ(part->lines[0].mono_ms, 250);
  EXPECT_EQ(part->lines[1].wall_ms, loop.clock().WallMs());
}

}  // namespace
}  // namespace muster::launcher
