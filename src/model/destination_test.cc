#include "model/destination.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/spec_reader.h"

namespace muster {
namespace {

JobSpec Read(std::string_view text) {
  const auto document = ReadDocument(text, TextFormat::kGuess, nullptr);
  if (!document) return {};
  const auto specs = ReadSpecs(document->get_object(), {});
  if (!specs) ADD_FAILURE() << FaultText(specs.error(), "job.yaml");
  return specs ? specs->front() : JobSpec{};
}

TEST(DestinationTest, ShortAndLongFormAreRead) {
  const JobSpec spec = Read(
      "run: x\nlogs: obs://bkt/log/\noutputs:\n"
      "  a: s3://bkt/x\n  b: /near\n  c:\n  d: {to: /runs, mode: publish, when: always}\n"
      "  e: {to: obs://bkt/e/, sync: 30s}\n  f: {to: s3://bkt/f, mode: url}\n  g: {to: /there}\n");
  EXPECT_EQ(spec.outputs,
            (Pairs{{"a", ""}, {"b", "/near"}, {"c", ""}, {"d", ""}, {"e", ""}, {"g", "/there"}}));
  EXPECT_EQ(spec.published,
            (std::vector<Publishing>{
                {"a", "s3://bkt/x"}, {"d", "/runs", true}, {"e", "obs://bkt/e/", false, 30'000}}));
  EXPECT_EQ(spec.roles[0].parameters, (Pairs{{"f", "s3://bkt/f"}}));
  EXPECT_EQ(spec.logs, "obs://bkt/log/");
  const auto again = ReadSpecs(ToJsonObject(spec), {});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->front(), spec);
}

TEST(DestinationTest, OverwriteAndJobIdAreReadAndWritten) {
  const JobSpec spec = Read(
      "run: x\nlogs: 's3://bkt/${job_id}/log'\noutputs:\n"
      "  a: {to: 's3://bkt/x', overwrite: true}\n  b: 's3://bkt/run-${job_id}/'\n");
  EXPECT_EQ(spec.published, (std::vector<Publishing>{{"a", "s3://bkt/x", false, 0, true},
                                                     {"b", "s3://bkt/run-${job_id}/"}}));
  EXPECT_EQ(spec.logs, "s3://bkt/${job_id}/log");
  const auto again = ReadSpecs(ToJsonObject(spec), {});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->front(), spec);
}

std::string FirstFault(std::string_view text) {
  const auto document = ReadDocument(text, TextFormat::kGuess, nullptr);
  if (!document) return "not a document";
  const auto specs = ReadSpecs(document->get_object(), {});
  return specs ? "" : specs.error().front().path + ": " + specs.error().front().found;
}

TEST(DestinationTest, PublishedOutputsNeedTheirOwnPlaces) {
  EXPECT_EQ(FirstFault("run: x\noutputs: {a: 's3://bkt/x', b: 'obs://bkt/x/'}\n"),
            "outputs.b: the place of another output of the job");
  const std::string sweep = "run: x\nsweep: {lr: [1, 2]}\noutputs: {a: ";
  EXPECT_EQ(FirstFault(sweep + "'s3://bkt/x'}\n"),
            "outputs.a: the same place in several jobs of the sweep");
  EXPECT_EQ(FirstFault(sweep + "{to: /x, mode: publish}}\n"),
            "outputs.a: the same place in several jobs of the sweep");
  EXPECT_EQ(FirstFault(sweep + "'s3://bkt/${lr}'}\n"), "");
  EXPECT_EQ(FirstFault(sweep + "'s3://bkt/${job_id}'}\n"), "");
  EXPECT_EQ(FirstFault(sweep + "{to: 's3://bkt/x', overwrite: true}}\n"), "");
  EXPECT_EQ(FirstFault(sweep + "/shared}\n"), "");  // ranks write there by themselves
}

TEST(DestinationTest, JobIdIsUnknownElsewhere) {
  EXPECT_EQ(FirstFault("run: x\ncode: '/x/${job_id}'\n"), "code: the unknown variable ${job_id}");
  EXPECT_EQ(FirstFault("run: x\noutputs: {a: {to: 's3://b-k/${job_id}', mode: url}}\n"),
            "outputs.a: ${job_id} with mode: url");
}

TEST(DestinationTest, FirstGenerationOfModelArtsKeepsUrls) {
  const JobSpec spec =
      Read("run: x.py\nplatform: modelarts-v1\noutputs: {train_url: s3://bkt/x}\n");
  EXPECT_EQ(spec.outputs, (Pairs{{"train_url", "s3://bkt/x"}}));
  EXPECT_TRUE(spec.published.empty());
  const auto again = ReadSpecs(ToJsonObject(spec), {});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->front(), spec);
}

TEST(DestinationTest, AllFaultsAreReportedTogether) {
  const auto document = ReadDocument(
      "run: x\nlogs: https://host/x\noutputs:\n  a: s3://\n  b: http://h/x\n  c: {mode: url}\n"
      "  d: {to: s3://bkt, syn: 3}\n  e: {to: s3://bkt, when: never}\n"
      "  f: {to: s3://bkt, mode: direct}\n  g: {to: /x, mode: url}\n  h: {to: /x, when: always}\n"
      "  i: {to: s3://bkt, sync: 10ms}\n  j: {to: s3://bkt, mode: url, sync: 3}\n",
      TextFormat::kGuess, nullptr);
  ASSERT_TRUE(document);
  const auto specs = ReadSpecs(document->get_object(), {});
  ASSERT_FALSE(specs);
  std::vector<std::string> paths;
  for (const Fault& fault : specs.error()) paths.push_back(fault.path);
  EXPECT_THAT(paths, ::testing::UnorderedElementsAre("logs", "outputs.a", "outputs.b", "outputs.c",
                                                     "outputs.d.syn", "outputs.e.when",
                                                     "outputs.f.mode", "outputs.g.mode",
                                                     "outputs.h", "outputs.i.sync", "outputs.j"));
  EXPECT_THAT(FaultText(specs.error(), "job.yaml"), ::testing::HasSubstr("did you mean \"sync\"?"));
}

}  // namespace
}  // namespace muster
