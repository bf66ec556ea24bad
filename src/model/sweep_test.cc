#include "model/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/spec_reader.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

std::expected<std::vector<JobSpec>, std::vector<Fault>> Read(std::string_view text) {
  Marks marks;
  const auto document = ReadDocument(text, TextFormat::kGuess, &marks);
  if (!document) return std::unexpected(document.error());
  return ReadSpecs(*document, marks);
}

std::vector<JobSpec> Jobs(std::string_view text) {
  const auto specs = Read(text);
  if (specs) return *specs;
  ADD_FAILURE() << FaultText(specs.error(), "job.yaml");
  return {};
}

Fault OnlyFault(std::string_view text) {
  const auto specs = Read(text);
  if (specs) {
    ADD_FAILURE() << "was read: " << text;
    return {};
  }
  EXPECT_THAT(specs.error(), SizeIs(1)) << FaultText(specs.error(), "job.yaml");
  return specs.error().front();
}

TEST(SweepTest, OneJobPerCombinationWithTheLastNameFastest) {
  const auto jobs = Jobs("run: x\nsweep: {a: [1, 2], b: [p, q, r]}\n");
  ASSERT_THAT(jobs, SizeIs(6));
  EXPECT_THAT(jobs[0].sweep_values, ElementsAre(Pair("a", "1"), Pair("b", "p")));
  EXPECT_THAT(jobs[1].sweep_values, ElementsAre(Pair("a", "1"), Pair("b", "q")));
  EXPECT_THAT(jobs[5].sweep_values, ElementsAre(Pair("a", "2"), Pair("b", "r")));
}

TEST(SweepTest, UnusedNamesBecomeParameters) {
  const auto jobs = Jobs("run: x\nparameters: {n: 1}\nsweep: {lr: [0.1, 1e-3]}\n");
  EXPECT_THAT(jobs[1].roles[0].parameters, ElementsAre(Pair("n", "1"), Pair("lr", "1e-3")));
}

TEST(SweepTest, ParametersWithTheNameAreReplaced) {
  const auto jobs = Jobs("run: x ${lr}\nparameters: {lr: 9, n: 1}\nsweep: {lr: [0.1, 0.2]}\n");
  EXPECT_THAT(jobs[1].roles[0].parameters, ElementsAre(Pair("lr", "0.2"), Pair("n", "1")));
  EXPECT_EQ(jobs[1].roles[0].run.text, "x 0.2");
}

TEST(SweepTest, ParametersThatUseTheNameAreExpanded) {
  const auto jobs = Jobs("run: x\nparameters: {lr: '${lr}e-3'}\nsweep: {lr: [1, 2]}\n");
  EXPECT_THAT(jobs[1].roles[0].parameters, ElementsAre(Pair("lr", "2e-3")));
}

TEST(SweepTest, UsedNamesDoNotBecomeParameters) {
  const auto jobs = Jobs("run: x --rate ${lr}\nname: j-${lr}\nsweep: {lr: [0.1, 0.2]}\n");
  EXPECT_THAT(jobs[0].roles[0].parameters, IsEmpty());
  EXPECT_EQ(jobs[0].roles[0].run.text, "x --rate 0.1");
  EXPECT_EQ(jobs[1].name, "j-0.2");
}

TEST(SweepTest, SizesCanBeSwept) {
  const auto jobs = Jobs("run: x\nsweep: {n: [1, 2, 4]}\nresources: {nodes: '${n}'}\n");
  EXPECT_EQ(jobs[2].roles[0].nodes, 4);
  EXPECT_THAT(jobs[2].roles[0].parameters, IsEmpty());
}

TEST(SweepTest, ParameterOfOneRoleIsReplacedThereOnly) {
  const auto jobs = Jobs("run: x\nsweep: {k: [1, 2]}\nroles: {a: {parameters: {k: 0}}, b: {}}\n");
  EXPECT_THAT(jobs[1].roles[0].parameters, ElementsAre(Pair("k", "2")));
  EXPECT_THAT(jobs[1].roles[1].parameters, IsEmpty());
}

TEST(SweepTest, VariablesMayUseSweptNames) {
  const auto jobs = Jobs("run: x ${tag}\nvariables: {tag: 'lr-${lr}'}\nsweep: {lr: [1, 2]}\n");
  EXPECT_EQ(jobs[1].roles[0].run.text, "x lr-2");
  EXPECT_THAT(jobs[1].roles[0].parameters, IsEmpty());
}

TEST(SweepTest, FaultOfALaterCombinationIncludesItsValues) {
  const Fault fault = OnlyFault("run: x\nsweep: {n: [1, 0]}\nresources: {nodes: '${n}'}\n");
  EXPECT_EQ(fault.path, "resources.nodes");
  EXPECT_EQ(fault.found, "0");
  EXPECT_EQ(fault.hint, "with n=0");
}

TEST(SweepTest, LimitIsTenThousandJobs) {
  std::string values = "[0";
  for (int i = 1; i < 100; ++i) values += ", " + std::to_string(i);
  values += "]";
  EXPECT_THAT(Jobs("run: x\nsweep: {a: " + values + ", b: " + values + "}\n"), SizeIs(10'000));
  EXPECT_THAT(OnlyFault("run: x\nsweep: {a: " + values + ", b: " + values + ", c: [1, 2]}\n").found,
              HasSubstr("more than 10000 combinations"));
}

TEST(SweepTest, LongListsOfValuesAreAccepted) {
  std::string values = "[0";
  for (int i = 1; i < 9'000; ++i) values += ", " + std::to_string(i);
  EXPECT_THAT(Jobs("run: x\nsweep: {seed: " + values + "]}\n"), SizeIs(9'000));
}

TEST(SweepTest, SweepsOfHugeJobsAreRefused) {
  std::string values = "[0";
  for (int i = 1; i < 100; ++i) values += ", " + std::to_string(i);
  const std::string text =
      "run: " + std::string(500'000, 'x') + "\nsweep: {a: " + values + "], b: " + values + "]}\n";
  EXPECT_THAT(OnlyFault(text).expected, HasSubstr("64 MiB"));
}

TEST(SweepTest, BadSweepsAreFaults) {
  EXPECT_EQ(OnlyFault("run: x\nsweep: [1]\n").found, "a list");
  EXPECT_EQ(OnlyFault("run: x\nsweep: {a: 1}\n").hint, "one value is written [value]");
  EXPECT_EQ(OnlyFault("run: x\nsweep: {a: []}\n").found, "an empty list");
  EXPECT_EQ(OnlyFault("run: x\nsweep: {a: [[1]]}\n").path, "sweep.a[0]");
  EXPECT_EQ(OnlyFault("run: x\nsweep: {a: [null]}\n").found, "nothing");
  EXPECT_EQ(OnlyFault("run: x\nsweep: {'a b': [1]}\n").path, "sweep.a b");
  EXPECT_EQ(OnlyFault("run: x\nsweep: {nodes: [1]}\n").expected, "a name that is not built in");
  EXPECT_EQ(OnlyFault("run: x\nvariables: {a: 1}\nsweep: {a: [1]}\n").path, "sweep.a");
  EXPECT_EQ(OnlyFault("run: x\nsweep: {a: ['${a}']}\n").expected, "a value without variables");
}

}  // namespace
}  // namespace muster
