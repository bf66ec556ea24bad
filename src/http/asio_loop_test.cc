#include "http/asio_loop.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/fd.h"

namespace muster::http {
namespace {

using testing::ElementsAre;

class AsioLoopTest : public testing::Test {
 protected:
  AsioLoop loop_;
  std::vector<std::string> seen_;
};

TEST_F(AsioLoopTest, RunsPostedCallbacksInOrder) {
  loop_.Post([&] { seen_.push_back("a"); });
  loop_.Post([&] {
    seen_.push_back("b");
    loop_.Post([&] { loop_.Stop(); });
  });
  loop_.Run();
  EXPECT_THAT(seen_, ElementsAre("a", "b"));
}

TEST_F(AsioLoopTest, AcceptsCallbacksFromOtherThreads) {
  std::thread other([&] { loop_.Post([&] { loop_.Stop(); }); });
  loop_.Run();
  other.join();
}

TEST_F(AsioLoopTest, RunsTimersInOrderAndOnce) {
  loop_.After(20, [&] { loop_.Stop(); });
  loop_.After(5, [&] { seen_.push_back("5"); });
  loop_.After(-3, [&] { seen_.push_back("now"); });
  loop_.After(std::numeric_limits<int64_t>::max(), [&] { seen_.push_back("never"); });
  loop_.Run();
  EXPECT_THAT(seen_, ElementsAre("now", "5"));
}

TEST_F(AsioLoopTest, CancelledTimersDoNotRun) {
  const auto id = loop_.After(1, [&] { seen_.push_back("cancelled"); });
  EXPECT_NE(id, 0u);
  loop_.Cancel(id);
  loop_.Cancel(id);
  loop_.Cancel(12345);
  os::Loop::Id self = 0;
  self = loop_.After(2, [&] {
    loop_.Cancel(self);
    loop_.After(2, [&] { loop_.Stop(); });
  });
  loop_.Run();
  EXPECT_TRUE(seen_.empty());
}

TEST_F(AsioLoopTest, DueTimerCanStillBeCancelled) {
  os::Loop::Id first = 0, second = 0;
  first = loop_.After(0, [&] {
    seen_.push_back("one");
    loop_.Cancel(second);
  });
  second = loop_.After(0, [&] {
    seen_.push_back("one");
    loop_.Cancel(first);
  });
  loop_.After(5, [&] { loop_.Stop(); });
  loop_.Run();
  EXPECT_THAT(seen_, ElementsAre("one"));
}

TEST_F(AsioLoopTest, ReportsADescriptorWhileItIsReadable) {
  const os::Fd event(::eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC));
  int calls = 0;
  os::Loop::Id watch = 0;
  watch = loop_.WatchReadable(event.get(), [&] {
    if (++calls < 3) return;  // not read, so the descriptor stays readable
    loop_.Unwatch(watch);
    loop_.After(2, [&] { loop_.Stop(); });
  });
  loop_.Run();
  EXPECT_EQ(calls, 3);
}

TEST_F(AsioLoopTest, LeavesTheDescriptorOpen) {
  const os::Fd event(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  loop_.Unwatch(loop_.WatchReadable(event.get(), [] {}));
  {
    AsioLoop other;
    other.WatchReadable(event.get(), [] {});
  }
  EXPECT_EQ(::eventfd_write(event.get(), 1), 0);
  int calls = 0;
  loop_.WatchReadable(event.get(), [&] {
    ++calls;
    loop_.Stop();
  });
  loop_.Run();
  EXPECT_EQ(calls, 1);
}

TEST_F(AsioLoopTest, ReportsAHangUp) {
  int pair[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  const os::Fd mine(pair[0]);
  os::Fd theirs(pair[1]);
  loop_.WatchReadable(mine.get(), [&] { loop_.Stop(); });
  loop_.Post([&] { theirs.Reset(); });
  loop_.Run();
}

TEST_F(AsioLoopTest, WatchRemovedByAnotherCallbackIsNotCalled) {
  const os::Fd a(::eventfd(1, EFD_CLOEXEC)), b(::eventfd(1, EFD_CLOEXEC));
  os::Loop::Id watch_a = 0, watch_b = 0;
  const auto once = [&] {
    seen_.push_back("once");
    loop_.Unwatch(watch_a);
    loop_.Unwatch(watch_b);
    loop_.After(2, [&] { loop_.Stop(); });
  };
  watch_a = loop_.WatchReadable(a.get(), once);
  watch_b = loop_.WatchReadable(b.get(), once);
  loop_.Run();
  EXPECT_THAT(seen_, ElementsAre("once"));
}

TEST_F(AsioLoopTest, DroppedCallbacksMayCallCancel) {
  struct Canceller {
    AsioLoop& loop;
    os::Loop::Id timer;
    ~Canceller() { loop.Cancel(timer); }
  };
  auto loop = std::make_unique<AsioLoop>();
  auto canceller = std::make_shared<Canceller>(*loop, loop->After(1000, [] {}));
  std::weak_ptr<Canceller> alive = canceller;
  loop->Post([canceller] {});
  canceller.reset();
  EXPECT_FALSE(alive.expired());
  loop.reset();
  EXPECT_TRUE(alive.expired());
}

}  // namespace
}  // namespace muster::http
