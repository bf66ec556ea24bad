#include "launcher/behind_mpirun.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::launcher {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

os::ProcessInfo Process(pid_t pid, pid_t ppid, pid_t pgid, const char* comm) {
  return {.pid = pid, .ppid = ppid, .pgid = pgid, .comm = comm};
}

std::vector<pid_t> Pids(const std::vector<os::ProcessInfo>& all, const std::set<pid_t>& groups) {
  std::vector<pid_t> pids;
  for (const auto& process : BehindMpirun(all, groups, "muster")) pids.push_back(process.pid);
  return pids;
}

TEST(BehindMpirunTest, RanksAndTheirChildrenAreFoundOnTheFirstNode) {
  EXPECT_THAT(Pids({Process(10, 1, 10, "mpirun"), Process(11, 10, 11, "muster"),
                    Process(12, 10, 12, "python3"), Process(13, 12, 12, "loader")},
                   {10}),
              ElementsAre(12, 13));
}

TEST(BehindMpirunTest, RanksOfADaemonAreFoundOnOtherNodes) {
  EXPECT_THAT(
      Pids({Process(20, 1, 20, "sh"), Process(21, 20, 20, "orted"), Process(22, 21, 22, "python3")},
           {20}),
      ElementsAre(22));
}

TEST(BehindMpirunTest, OtherLaunchersAndOtherJobsAreIgnored) {
  EXPECT_THAT(Pids({Process(10, 1, 10, "torchrun"), Process(12, 10, 12, "python3"),
                    Process(30, 1, 30, "mpirun"), Process(31, 30, 31, "python3")},
                   {10}),
              IsEmpty());
}

TEST(BehindMpirunTest, RanksInTheGroupOfMpirunNeedNoSeparateSignal) {
  EXPECT_THAT(Pids({Process(10, 1, 10, "mpirun"), Process(12, 10, 10, "python3")}, {10}),
              IsEmpty());
}

}  // namespace
}  // namespace muster::launcher
