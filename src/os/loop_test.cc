#include <fcntl.h>

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/epoll_loop.h"
#include "os/fake_loop.h"

namespace muster::os {
namespace {

using testing::ElementsAre;

struct Pipe {
  Pipe() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0) std::abort();
    read = Fd(fds[0]);
    write = Fd(fds[1]);
  }
  Fd read, write;
};

TEST(EpollLoopTest, RunsPostedCallbacksInOrder) {
  EpollLoop loop;
  std::vector<int> ran;
  loop.Post([&] { ran.push_back(1), loop.Post([&] { ran.push_back(3), loop.Stop(); }); });
  loop.Post([&] { ran.push_back(2); });
  ASSERT_TRUE(loop.Run());
  EXPECT_THAT(ran, ElementsAre(1, 2, 3));
}

TEST(EpollLoopTest, AcceptsCallbacksFromOtherThreads) {
  EpollLoop loop;
  int ran = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k)
        loop.Post([&] {
          if (++ran == 4000) loop.Stop();
        });
    });
  }
  ASSERT_TRUE(loop.Run());
  EXPECT_EQ(ran, 4000);
}

TEST(EpollLoopTest, RunsTimersByDeadlineAndNotEarlier) {
  EpollLoop loop;
  std::vector<int> fired;
  const int64_t start = loop.clock().SteadyMs();
  loop.After(20, [&] {
    fired.push_back(20);
    EXPECT_GE(loop.clock().SteadyMs(), start + 20);
    loop.Stop();
  });
  loop.After(5, [&] { fired.push_back(5); });
  loop.After(-7, [&] { fired.push_back(0); });
  const auto cancelled = loop.After(10, [&] { fired.push_back(10); });
  loop.After(6, [&] { loop.Cancel(cancelled); });
  loop.After(INT64_MAX, [&] { fired.push_back(-1); });
  ASSERT_TRUE(loop.Run());
  EXPECT_THAT(fired, ElementsAre(0, 5, 20));
}

TEST(EpollLoopTest, TimersThatCreateTimersDoNotStarveOthers) {
  EpollLoop loop;
  int rounds = 0;
  std::function<void()> again = [&] {
    if (++rounds == 10) loop.Post([&] { loop.Stop(); });
    loop.After(0, again);
  };
  loop.After(0, again);
  ASSERT_TRUE(loop.Run());
  EXPECT_GE(rounds, 10);
}

TEST(EpollLoopTest, ReportsReadableDescriptorsUntilUnwatched) {
  EpollLoop loop;
  Pipe pipe;
  int calls = 0;
  Loop::Id id = 0;
  id = loop.WatchReadable(pipe.read.get(), [&] {
    char c = 0;
    EXPECT_EQ(::read(pipe.read.get(), &c, 1), 1);
    if (++calls < 3) return;
    loop.Unwatch(id);
    EXPECT_EQ(calls, 3) << "captures outlive the unwatching of themselves";
    loop.After(1, [&] { loop.Stop(); });
  });
  ASSERT_EQ(::write(pipe.write.get(), "abcd", 4), 4);
  ASSERT_TRUE(loop.Run());
  EXPECT_EQ(calls, 3);
}

TEST(EpollLoopTest, ReportsAHangUp) {
  EpollLoop loop;
  Pipe pipe;
  pipe.write.Reset();
  loop.WatchReadable(pipe.read.get(), [&] { loop.Stop(); });
  ASSERT_TRUE(loop.Run());
}

TEST(EpollLoopTest, WatchRemovedByAnotherCallbackIsNotCalled) {
  EpollLoop loop;
  Pipe a, b;
  a.write.Reset();
  b.write.Reset();
  Loop::Id first = 0, second = 0;
  int calls = 0;
  const auto call = [&](Loop::Id& other) {
    ++calls;
    loop.Unwatch(other);
    loop.Stop();
  };
  first = loop.WatchReadable(a.read.get(), [&] { call(second); });
  second = loop.WatchReadable(b.read.get(), [&] { call(first); });
  ASSERT_TRUE(loop.Run());
  EXPECT_EQ(calls, 1);
}

TEST(EpollLoopTest, StopBeforeRunEndsTheNextRunOnly) {
  EpollLoop loop;
  loop.Stop();
  ASSERT_TRUE(loop.Run());
  int ran = 0;
  loop.Post([&] { ++ran, loop.Stop(); });
  loop.Post([&] { ++ran, loop.Stop(); });
  ASSERT_TRUE(loop.Run());
  EXPECT_EQ(ran, 1);
  ASSERT_TRUE(loop.Run());
  EXPECT_EQ(ran, 2) << "work that a stop left over runs later";
}

TEST(EpollLoopTest, UnknownIdsAreIgnored) {
  EpollLoop loop;
  loop.Cancel(77);
  loop.Unwatch(77);
  loop.WatchReadable(-1, [] {});
}

TEST(FakeLoopTest, AdvanceRunsTimersInOrderAtTheirTimes) {
  FakeLoop loop;
  const int64_t start = loop.clock().SteadyMs();
  std::vector<int64_t> fired;
  const auto note = [&] { fired.push_back(loop.clock().SteadyMs() - start); };
  loop.After(30, note);
  loop.After(10, [&] { note(), loop.After(5, note); });
  loop.Advance(20);
  EXPECT_THAT(fired, ElementsAre(10, 15));
  EXPECT_EQ(loop.clock().SteadyMs() - start, 20);
  loop.Advance(10);
  EXPECT_THAT(fired, ElementsAre(10, 15, 30));
}

TEST(FakeLoopTest, ReadyRunsTheWatchOfOneDescriptor) {
  FakeLoop loop;
  int calls = 0;
  Loop::Id id = 0;
  id = loop.WatchReadable(5, [&] { ++calls, loop.Unwatch(id); });
  EXPECT_FALSE(loop.Ready(4));
  EXPECT_TRUE(loop.Ready(5));
  EXPECT_FALSE(loop.Ready(5));
  EXPECT_EQ(calls, 1);
}

TEST(FakeLoopTest, WaitPostedWaitsForAnotherThread) {
  FakeLoop loop;
  bool ran = false;
  std::jthread other([&] { loop.Post([&] { ran = true; }); });
  loop.WaitPosted();
  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace muster::os
