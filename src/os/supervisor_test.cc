#include "os/supervisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/file.h"

namespace muster::os {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SweepResult TwoFound() { return {2, 1, 0, {"sleep", "sh"}, 40}; }

TEST(SupervisorWordsTest, ReportSurvivesTheWayThroughACommandLine) {
  auto words = SupervisorWords("job17-a1-n0-01234567", Supervision::kProven, TwoFound());
  words.insert(words.begin(), "/usr/bin/muster");
  const auto report = ParseSupervisorWords(words, "job17-a1-n0-01234567");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->state, Supervision::kProven);
  EXPECT_EQ(report->sweep.found, 2);
  EXPECT_EQ(report->sweep.killed, 1);
  EXPECT_EQ(report->sweep.took_ms, 40);
  EXPECT_THAT(report->sweep.names, ElementsAre("sleep", "sh"));
  EXPECT_FALSE(ParseSupervisorWords(words, "job17-a1-n1-01234567")) << "another node";
}

TEST(SupervisorWordsTest, SweepWithoutNamesIsNoProofBeforeItHasEnded) {
  auto words = SupervisorWords("g", Supervision::kSweeping, {});
  words.insert(words.begin(), "muster");
  const auto report = ParseSupervisorWords(words, "g");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->state, Supervision::kSweeping);
  EXPECT_THAT(report->sweep.names, IsEmpty());
}

TEST(SupervisorWordsTest, OtherCommandLinesAreNoReport) {
  using Words = std::vector<std::string>;
  for (const Words& words : {Words{}, Words{"muster"}, Words{"muster", "supervise", "123"},
                             Words{"muster", "supervise", "g", "perhaps", "0", "0", "0", "names="},
                             Words{"muster", "launch", "g", "proven", "0", "0", "0", "names="},
                             Words{"muster", "supervise", "g", "proven", "0", "0", "0"}})
    EXPECT_FALSE(ParseSupervisorWords(words, "g")) << testing::PrintToString(words);
}

TEST(FindSupervisorTest, NothingForAGroupThatNobodyReports) {
  EXPECT_FALSE(FindSupervisor("job1-a1-n0-" + RandomHex(4)));
}

TEST(BootIdentityTest, StaysTheSame) {
  const std::string boot = BootIdentity();
  EXPECT_GT(boot.size(), 36u) << boot;
  EXPECT_EQ(boot, BootIdentity());
}

TEST(FindLauncherTest, NothingWithoutOne) { EXPECT_FALSE(FindLauncher("/no/such/folder")); }

}  // namespace
}  // namespace muster::os
