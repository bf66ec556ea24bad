#include "verdict/killed_child.h"

#include <csignal>

#include <gmock/gmock.h>

namespace muster::verdict {
namespace {

using testing::ElementsAre;

std::optional<KilledChild> Find(const std::string& line) { return FindKilledChild(0, {line}, {}); }

struct LauncherLine {
  const char* line;
  const char* who;
  int signal;
};

// Recorded lines of launchers whose rank was killed.
constexpr LauncherLine kLines[] = {
    {"ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -9) local_rank: 1 "
     "(pid: 4711) of binary: /usr/bin/python3",
     "local rank 1", SIGKILL},
    {"[ERROR] ME(98:140,MainProcess):2026-11-15-09:21:07.0 [mindspore/parallel/cluster/"
     "process_entity/_api.py:365] Worker process 4711 exit with exception. Error code: -11.",
     "process 4711", SIGSEGV},
    {"Container rank 2 status failed cmd ['/usr/bin/python3', '-u', 'train.py', ' code -1'] code "
     "-9 log paddle/workerlog.0",
     "rank 2", SIGKILL},
    {"Process 3 exit with status code 137.", "rank 3", SIGKILL},
    {"mpirun noticed that process rank 3 with PID 4711 on node node-1 exited on signal 9 (Killed).",
     "rank 3", SIGKILL},
    {"=   EXIT CODE: 139", "a process", SIGSEGV},
    {"YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)", "a process", SIGKILL},
};

TEST(KilledChild, LinesOfAllLaunchersAreRecognised) {
  for (const LauncherLine& expected : kLines) {
    const auto found = Find(expected.line);
    ASSERT_TRUE(found) << expected.line;
    EXPECT_EQ(found->signal, expected.signal) << expected.line;
    EXPECT_EQ(found->who, expected.who) << expected.line;
    EXPECT_EQ(found->line, expected.line);
  }
}

TEST(KilledChild, ExitCodesAndLauncherSignalsAreNotKills) {
  for (const char* line :
       {"failed (exitcode: 1) local_rank: 1 (pid: 4711) of binary: /usr/bin/python3",
        "failed (exitcode: -15) local_rank: 1 (pid: 4711) of binary: /usr/bin/python3",
        "failed (exitcode: -6) local_rank: 1 (pid: 4711) of binary: /usr/bin/python3",
        "failed (exitcode: -", "failed (exitcode: -999999999999)",
        "Container rank 2 status failed cmd ['python3'] code 1 log workerlog.0",
        "Process 3 exit with status code 1.", "Process 3 exit with status code 128.",
        "Process 3 exit with status code 143.", "training rank 3, code -9"}) {
    EXPECT_FALSE(Find(line)) << line;
  }
}

const ExitReport kCode{.how = ExitClass::kExitCode, .code = 1};
const std::vector<std::string> kLostPeer = {
    "RuntimeError: gloo/transport: Connection closed by peer"};

// Two launchers; the first one ended first.
Attempt FirstEnded(const ExitReport& second) {
  Attempt attempt;
  for (int rank = 0; rank < 2; ++rank) {
    RankInfo info;
    info.rank = info.node = rank;
    info.role = "worker";
    info.exit = rank == 0 ? kCode : second;
    attempt.ranks.push_back(info);
    attempt.nodes.push_back(NodeStatus{.name = "node-" + std::to_string(rank)});
  }
  attempt.cause = Cause{.rank = 0, .node = 0, .node_name = "node-0", .exit = kCode};
  attempt.exit = kCode;
  return attempt;
}

TEST(KilledChild, IsTheCauseWhenAnotherLauncherEndedFirst) {
  const std::vector<RankLines> others{{1, {"starting", kLines[0].line}}};
  const Verdict verdict = Judge(Job{}, FirstEnded(kCode), kLostPeer, others);
  EXPECT_EQ(verdict.rank, 1);
  EXPECT_EQ(verdict.cause, CauseClass::kKilled);
  EXPECT_TRUE(verdict.retry_makes_sense);
  EXPECT_EQ(verdict.headline,
            "rank 1 (worker) on node-1 failed: local rank 1 of its launcher was killed by SIGKILL");
  EXPECT_THAT(verdict.evidence, ElementsAre(kLines[0].line));
  const Verdict own_cause =
      Judge(Job{}, FirstEnded(kCode), {"ValueError: the label is out of range"}, others);
  EXPECT_EQ(own_cause.rank, 0) << "the log of the first rank shows a cause";
}

TEST(KilledChild, KillNotReportedByItsLauncherIsFound) {
  const ExitReport stopped{.how = ExitClass::kStopped,
                           .signal = SIGTERM,
                           .stopped_by = StoppedBy::kRankFailure,
                           .killed_below = SIGSEGV};
  const Verdict verdict = Judge(Job{}, FirstEnded(stopped), kLostPeer, {});
  EXPECT_EQ(verdict.rank, 1);
  EXPECT_EQ(verdict.cause, CauseClass::kCrash);
  EXPECT_EQ(verdict.headline,
            "rank 1 (worker) on node-1 failed: a process of its launcher was killed by SIGSEGV");
  EXPECT_THAT(verdict.evidence, ElementsAre(kLostPeer[0]));
  EXPECT_EQ(Judge(Job{}, FirstEnded(stopped), {"ValueError: bad label"}, {}).rank, 0);
}

}  // namespace
}  // namespace muster::verdict
