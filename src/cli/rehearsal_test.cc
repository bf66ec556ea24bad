#include "cli/rehearsal.h"

#include <gmock/gmock.h>

#include "model/spec_reader.h"

namespace muster::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

JobSpec Spec(json::object document) {
  auto specs = ReadSpecs(document, {});
  EXPECT_TRUE(specs);
  return specs->front();
}

JobSpec TwoByEight() {
  return Spec({{"run", "train.py"},
               {"framework", "pytorch"},
               {"retries", 3},
               {"outputs", json::object{{"train_url", "/results"}}},
               {"env", json::object{{"OMP_NUM_THREADS", "2"}}},
               {"resources", json::object{{"nodes", 2}, {"devices", "npu:8"}, {"memory", "64G"}}}});
}

Rehearsal OfRanks(int ranks, int steps = 3) {
  return {{.ranks = ranks, .steps = steps, .settle_ms = 1000, .limit_ms = 10'000}, 0};
}

TEST(RehearsalSpec, KeepsTheLayoutWithoutOutsideEffects) {
  const JobSpec spec = RehearsalSpec(TwoByEight(), 5000);
  EXPECT_EQ(spec.TotalNodes(), 2);
  EXPECT_EQ(spec.TotalRanks(), 16);
  EXPECT_EQ(spec.framework, "pytorch");
  EXPECT_THAT(spec.outputs, Contains(Pair("train_url", "")));
  EXPECT_EQ(spec.retries, 0);
  EXPECT_FALSE(spec.memory);
  EXPECT_GT(*spec.time_limit_ms, 5000);
}

TEST(RehearsalSpec, OneThreadPerRankByDefault) {
  const JobSpec spec = RehearsalSpec(TwoByEight(), 5000);
  EXPECT_THAT(spec.roles[0].env, Contains(Pair("OMP_NUM_THREADS", "2")));
  EXPECT_THAT(spec.roles[0].env, Contains(Pair("MKL_NUM_THREADS", "1")));
}

TEST(RehearsalSpec, IsAValidJobFile) {
  const JobSpec spec = RehearsalSpec(TwoByEight(), 5000);
  const auto again = ReadSpecs(ToJsonObject(spec), {});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->front(), spec);
}

TEST(RehearsalNodes, CoverEveryRole) {
  EXPECT_EQ(RehearsalNodes(TwoByEight()), "2x8npu");
  EXPECT_EQ(
      RehearsalNodes(Spec(
          {{"run", "x"},
           {"roles", json::object{{"ps", json::object{{"nodes", 1}}},
                                  {"worker", json::object{{"nodes", 3}, {"devices", "gpu:4"}}}}}})),
      "1x1cpu,3x4gpu");
}

TEST(Rehearsal, IsEnoughAfterTheRequestedSteps) {
  Rehearsal rehearsal = OfRanks(1);
  rehearsal.RankTold(0, {{"loss", 0.5}});
  rehearsal.RankTold(0, {{"loss", 0.4}});
  EXPECT_FALSE(rehearsal.Enough(1));
  rehearsal.RankTold(0, {{"loss", 0.3}});
  EXPECT_TRUE(rehearsal.Enough(1));
  EXPECT_EQ(rehearsal.steps(), 3);
}

TEST(Rehearsal, CountsStepsBetweenLooks) {
  Rehearsal rehearsal = OfRanks(1, 100);
  rehearsal.RankTold(0, {{"step", 0}});
  EXPECT_FALSE(rehearsal.Enough(1));
  rehearsal.RankTold(0, {{"step", 99}});
  EXPECT_EQ(rehearsal.steps(), 100);
  EXPECT_TRUE(rehearsal.Enough(1));
}

TEST(Rehearsal, HeadlineIsNotAStep) {
  Rehearsal rehearsal = OfRanks(1, 1);
  rehearsal.RankTold(0, {{"epochs", 90}, {"epoch", 1}});
  EXPECT_EQ(rehearsal.steps(), 0);
}

TEST(Rehearsal, RanksHaveMetWhenAllAreConnected) {
  Rehearsal rehearsal = OfRanks(4);
  rehearsal.RanksLinked({{0, 1}, {2, 3}}, 1);
  EXPECT_EQ(rehearsal.met(), 2);
  EXPECT_FALSE(rehearsal.AllMet());
  rehearsal.RanksLinked({{0, 1}, {2, 0}, {3, 0}}, 2);
  EXPECT_TRUE(rehearsal.AllMet());
  rehearsal.RanksLinked({}, 3);
  EXPECT_TRUE(rehearsal.AllMet()) << "what was seen stays seen";
}

TEST(Rehearsal, WaitForAStepAfterTheConnectionIsLimited) {
  Rehearsal rehearsal = OfRanks(2);
  rehearsal.RanksLinked({{0, 1}}, 100);
  EXPECT_FALSE(rehearsal.Enough(1099));
  EXPECT_TRUE(rehearsal.Enough(1100));
  rehearsal.RankTold(0, {{"step", 1}});
  EXPECT_FALSE(rehearsal.Enough(1100)) << "it trains: the goal is steps now";
}

TEST(Rehearsal, CountsRanksWithoutHelpers) {
  Rehearsal rehearsal = OfRanks(4);
  rehearsal.RanksRun(5);
  EXPECT_EQ(rehearsal.started(), 4);
}

TEST(Rehearsal, EndsAtItsLimit) {
  EXPECT_FALSE(OfRanks(2).Enough(9999));
  EXPECT_TRUE(OfRanks(2).Enough(10'000));
}

TEST(JudgeRehearsal, YesByStepsByMeetingOrByTheEnd) {
  Rehearsal rehearsal = OfRanks(16);
  rehearsal.RanksRun(16);
  EXPECT_EQ(JudgeRehearsal(TwoByEight(), rehearsal, {.succeeded = true}).answer, Answer::kYes);
  std::vector<std::pair<int, int>> star;
  for (int rank = 1; rank < 16; ++rank) star.emplace_back(0, rank);
  rehearsal.RanksLinked(star, 1);
  const auto met = JudgeRehearsal(TwoByEight(), rehearsal, {});
  EXPECT_EQ(met.answer, Answer::kNotKnown);
  EXPECT_EQ(ExitCodeOf(met.answer), 3);
  EXPECT_THAT(met.headline, HasSubstr("all 16 ranks started and connected, but no training step"));
  for (int step = 1; step <= 3; ++step) rehearsal.RankTold(0, {{"step", step}});
  const auto stepped = JudgeRehearsal(TwoByEight(), rehearsal, {});
  EXPECT_EQ(stepped.headline, "16 ranks started and trained 3 steps");
  EXPECT_THAT(stepped.seen, Contains(HasSubstr("ranks: 16 of 16 started")));
  EXPECT_THAT(stepped.unknown, Contains(HasSubstr("npu devices")));
  EXPECT_THAT(stepped.unknown, Contains(HasSubstr("network between the nodes")));
}

TEST(JudgeRehearsal, NoIfTheJobIsFaulty) {
  const auto report = JudgeRehearsal(TwoByEight(), OfRanks(16),
                                     {.failed = true,
                                      .headline = "rank 3 exited with code 7",
                                      .evidence = "no such flag",
                                      .cause = "arguments",
                                      .advice = "x"});
  EXPECT_EQ(report.answer, Answer::kNo);
  EXPECT_EQ(ExitCodeOf(report.answer), 1);
  EXPECT_THAT(report.headline, HasSubstr("rank 3 exited with code 7 (no such flag)"));
  EXPECT_EQ(report.next, "x");
}

TEST(JudgeRehearsal, NotKnownIfThisMachineIsTheCause) {
  for (const char* cause : {"missing_module", "no_device", "host_memory"}) {
    const auto report = JudgeRehearsal(TwoByEight(), OfRanks(16),
                                       {.failed = true, .headline = "h", .cause = cause});
    EXPECT_EQ(report.answer, Answer::kNotKnown) << cause;
    EXPECT_EQ(ExitCodeOf(report.answer), 3);
  }
}

TEST(JudgeRehearsal, NotKnownWithoutObservations) {
  const auto report = JudgeRehearsal(TwoByEight(), OfRanks(16), {});
  EXPECT_EQ(report.answer, Answer::kNotKnown);
  EXPECT_THAT(RehearsalText(report), HasSubstr("will it start on the cluster? not known: 0 of 16"));
  EXPECT_EQ(ToJsonObject(report).at("answer").as_string(), "not known");
}

}  // namespace
}  // namespace muster::cli
