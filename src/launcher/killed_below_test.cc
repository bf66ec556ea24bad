#include "launcher/killed_below.h"

#include <csignal>

#include <gtest/gtest.h>

namespace muster::launcher {
namespace {

constexpr int kDumped = 0x80;

os::ProcessInfo Process(pid_t pid, pid_t ppid) { return {.pid = pid, .ppid = ppid, .state = 'S'}; }

os::ProcessInfo Zombie(pid_t pid, pid_t ppid, int wait_status) {
  return {.pid = pid, .ppid = ppid, .state = 'Z', .wait_status = wait_status};
}

TEST(KilledBelowTest, KilledChildOrGrandchildIsFound) {
  EXPECT_EQ(KilledBelow({Process(10, 1), Zombie(11, 10, SIGKILL)}, 10), SIGKILL);
  EXPECT_EQ(KilledBelow({Process(10, 1), Process(11, 10), Zombie(12, 11, SIGSEGV | kDumped)}, 10),
            SIGSEGV);
}

TEST(KilledBelowTest, OtherProcessesAndTheRankItselfAreIgnored) {
  EXPECT_EQ(KilledBelow({Process(10, 1), Process(20, 1), Zombie(21, 20, SIGKILL)}, 10), 0);
  EXPECT_EQ(KilledBelow({Zombie(10, 1, SIGKILL)}, 10), 0);
}

TEST(KilledBelowTest, ExitAndTermAreNotACause) {
  EXPECT_EQ(KilledBelow({Process(10, 1), Zombie(11, 10, 0), Zombie(12, 10, 1 << 8),
                         Zombie(13, 10, SIGTERM), Zombie(14, 10, SIGABRT | kDumped)},
                        10),
            0);
}

// The main thread has ended; the other threads run.
TEST(KilledBelowTest, LiveProcessIsNotReportedKilled) {
  auto process = Zombie(11, 10, SIGKILL);
  process.threads = 3;
  EXPECT_EQ(KilledBelow({Process(10, 1), process}, 10), 0);
}

TEST(KilledBelowTest, CycleOfParentsTerminates) {
  EXPECT_EQ(KilledBelow({Process(10, 11), Zombie(11, 10, SIGKILL)}, 9), 0);
}

}  // namespace
}  // namespace muster::launcher
