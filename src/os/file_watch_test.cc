#include "os/file_watch.h"

#include <fcntl.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/epoll_loop.h"
#include "os/fake_loop.h"
#include "os/temp_dir.h"

namespace muster::os {
namespace {

// inotify queues an event before the write returns, so one turn of the loop delivers all events
// without waiting.
class FileWatchTest : public testing::Test {
 protected:
  void Append(const Path& path, std::string_view text = "x") {
    const auto fd = Open(path, O_WRONLY | O_CREAT | O_APPEND);
    ASSERT_TRUE(fd) << fd.error().text;
    ASSERT_TRUE(WriteAll(fd->get(), text));
  }
  // Whether `calls` increased in one turn.
  bool Told() {
    const int before = calls;
    loop.ReadyAll();
    loop.Advance(20);  // skips the pause between two reads
    return calls > before;
  }
  bool ToldByPolling() {
    const int before = calls;
    loop.Advance(200);
    return calls > before;
  }

  TempDir dir;
  FakeLoop loop;
  int calls = 0;
};

TEST_F(FileWatchTest, ReportsCreationWritesTruncationAndReplacement) {
  FileWatch watch(loop);
  watch.Add(dir / "log", [&] { ++calls; });
  EXPECT_FALSE(Told());
  Append(dir / "log", "");
  EXPECT_TRUE(Told()) << "created";
  Append(dir / "log");
  EXPECT_TRUE(Told()) << "written";
  std::filesystem::resize_file(dir / "log", 0);
  EXPECT_TRUE(Told()) << "truncated";
  ASSERT_TRUE(WriteFileAtomic(dir / "log", "other", 0644, false));
  EXPECT_TRUE(Told()) << "replaced";
  Append(dir / "log");
  EXPECT_TRUE(Told()) << "written after the replacement";
  EXPECT_FALSE(Told());
}

TEST_F(FileWatchTest, MergesManyWritesIntoOneCall) {
  FileWatch watch(loop);
  watch.Add(dir / "log", [&] { ++calls; });
  for (int i = 0; i < 100; ++i) Append(dir / "log");
  EXPECT_TRUE(Told());
  EXPECT_EQ(calls, 1);
}

TEST_F(FileWatchTest, FirstChangesAreReportedAtOnceAndLaterOnesTogether) {
  FileWatch watch(loop);
  watch.Add(dir / "log", [&] { ++calls; });
  for (int i = 0; i < 100; ++i) {
    Append(dir / "log");
    loop.ReadyAll();
  }
  EXPECT_GE(calls, 5);
  EXPECT_LT(calls, 50) << "a busy writer is not told line by line";
  const int before = calls;
  loop.Advance(20);
  loop.ReadyAll();
  EXPECT_EQ(calls, before + 1) << "what came during the pause is told after it";
}

TEST_F(FileWatchTest, OtherFilesAreNotReported) {
  FileWatch watch(loop);
  watch.Add(dir / "log", [&] { ++calls; });
  Append(dir / "log2");
  EXPECT_FALSE(Told());
}

TEST_F(FileWatchTest, SeveralWatchesOfOneFolderAndOneFile) {
  FileWatch watch(loop);
  int others = 0;
  watch.Add(dir / "log", [&] { ++calls; });
  const auto twin = watch.Add(dir / "log", [&] { ++calls; });
  watch.Add(dir / "other", [&] { ++others; });
  Append(dir / "log");
  EXPECT_TRUE(Told());
  EXPECT_EQ(calls, 2);
  watch.Remove(twin);
  Append(dir / "log");
  Append(dir / "other");
  EXPECT_TRUE(Told());
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(others, 1);
}

TEST_F(FileWatchTest, WatchMayBeRemovedInItsOwnCallback) {
  FileWatch watch(loop);
  FileWatch::Id first = 0, second = 0;
  first = watch.Add(dir / "a", [&] { ++calls, watch.Remove(first), watch.Remove(second); });
  second = watch.Add(dir / "a", [&] { ++calls, watch.Remove(second), watch.Remove(first); });
  Append(dir / "a");
  EXPECT_TRUE(Told());
  EXPECT_EQ(calls, 1);
  Append(dir / "a");
  EXPECT_FALSE(Told());
  watch.Remove(12345);
}

TEST_F(FileWatchTest, FolderCanBeWatchedAgainAfterItsLastWatch) {
  FileWatch watch(loop);
  watch.Remove(watch.Add(dir / "a", [] {}));
  watch.Add(dir / "a", [&] { ++calls; });
  Append(dir / "a");
  EXPECT_TRUE(Told());
}

TEST_F(FileWatchTest, AllWatchesAreCalledAfterAnEventOverflow) {
  FileWatch watch(loop);
  watch.Add(dir / "quiet", [&] { ++calls; });
  watch.Add(dir / "a", [] {});
  const auto a = Open(dir / "a", O_WRONLY | O_CREAT), b = Open(dir / "b", O_WRONLY | O_CREAT);
  const auto limit = ReadFile("/proc/sys/fs/inotify/max_queued_events");
  ASSERT_TRUE(a && b && limit);
  // Alternating events, because equal neighbours are merged.
  for (int i = 0; i < std::stoi(*limit); ++i) {
    ASSERT_EQ(::write(a->get(), "x", 1), 1);
    ASSERT_EQ(::write(b->get(), "x", 1), 1);
  }
  EXPECT_TRUE(Told());
}

TEST_F(FileWatchTest, FilesInAMissingFolderArePolled) {
  FileWatch watch(loop);
  watch.Add(dir / "later/log", [&] { ++calls; });
  EXPECT_FALSE(ToldByPolling());
  ASSERT_TRUE(MakeDirs(dir / "later"));
  EXPECT_FALSE(ToldByPolling());
  Append(dir / "later/log");
  EXPECT_TRUE(ToldByPolling());
  EXPECT_FALSE(ToldByPolling());
  Append(dir / "later/log");
  EXPECT_TRUE(ToldByPolling());
}

TEST_F(FileWatchTest, SymbolicLinksArePolled) {
  FileWatch watch(loop);
  Append(dir / "target");
  ASSERT_TRUE(MakeDirs(dir / "sub"));
  std::filesystem::create_symlink(dir / "target", dir / "sub/link");
  watch.Add(dir / "sub/link", [&] { ++calls; });
  Append(dir / "target");
  EXPECT_TRUE(ToldByPolling());
}

TEST_F(FileWatchTest, ContinuesAfterTheFolderIsReplaced) {
  ASSERT_TRUE(MakeDirs(dir / "sub"));
  FileWatch watch(loop);
  watch.Add(dir / "sub/log", [&] { ++calls; });
  std::filesystem::rename(dir / "sub", dir / "old");
  Told();
  ASSERT_TRUE(MakeDirs(dir / "sub"));
  Append(dir / "sub/log");
  EXPECT_TRUE(ToldByPolling());
}

TEST_F(FileWatchTest, RemovesItsWatchesFromTheLoop) {
  {
    FileWatch watch(loop);
    watch.Add(dir / "a", [&] { ++calls; });
    watch.Add(dir / "missing/b", [&] { ++calls; });
    Append(dir / "a");
    loop.ReadyAll();
  }
  EXPECT_EQ(loop.timer_count(), 0u);
  EXPECT_EQ(loop.watch_count(), 0u);
}

TEST_F(FileWatchTest, WorksOnAnEpollLoop) {
  EpollLoop real;
  FileWatch watch(real);
  watch.Add(dir / "log", [&] { real.Stop(); });
  real.Post([&] { Append(dir / "log"); });
  ASSERT_TRUE(real.Run());
}

}  // namespace
}  // namespace muster::os
