#include "dialect/publishing.h"

#include <gtest/gtest.h>

#include "dialect/command.h"
#include "model/spec_reader.h"

namespace muster::dialect {
namespace {

JobSpec Read(std::string_view text) {
  const auto document = ReadDocument(text, TextFormat::kGuess, nullptr);
  if (!document) return {};
  const auto specs = ReadSpecs(document->get_object(), {});
  if (!specs) ADD_FAILURE() << FaultText(specs.error(), "job.yaml");
  return specs ? specs->front() : JobSpec{};
}

Places SomePlaces() {
  return {.job = 7,
          .attempt = 2,
          .token = "t",
          .job_dir = "/d/jobs/7",
          .attempt_dir = "/d/jobs/7/attempts/2",
          .code_dir = {},
          .muster = "/bin/muster",
          .data_dir = "/d"};
}

std::vector<NodeOrder> OrdersOf(const JobSpec& spec) {
  auto orders = Plan(spec, SketchAllocation(spec), SomePlaces());
  if (!orders) ADD_FAILURE() << orders.error().text;
  return orders ? *orders : std::vector<NodeOrder>{};
}

constexpr std::string_view kId = "modelarts-job-00000000-0000-4000-8000-000000000007";

TEST(PublishingTest, SuccessPublishesEverythingAndFailureOnlyAlways) {
  const JobSpec spec = Read(
      "run: x\noutputs: {a: s3://bkt/a, b: {to: file:///runs/b%20c, mode: publish, when: always}, "
      "c: /near, d: }\n");
  const auto orders = OrdersOf(spec);
  const auto good = PublicationAtEnd(spec, SomePlaces(), orders, {"succeeded"});
  ASSERT_EQ(good.outputs.size(), 2u);
  EXPECT_EQ(good.outputs[0].folder, "/d/jobs/7/outputs/a");
  EXPECT_EQ(good.outputs[0].to, "s3://bkt/a");
  EXPECT_EQ(good.outputs[1].to, "/runs/b c");
  EXPECT_EQ(good.state, "succeeded");
  for (const char* state : {"failed", "stopped"}) {
    const auto bad = PublicationAtEnd(spec, SomePlaces(), orders, {state});
    ASSERT_EQ(bad.outputs.size(), 1u);
    EXPECT_EQ(bad.outputs[0].name, "b");
  }
}

TEST(PublishingTest, NoOutputIsPublishedWhenNoRankRan) {
  const JobSpec spec =
      Read("run: x\noutputs: {a: {to: s3://bkt/a, when: always}}\nlogs: s3://bkt/log\n");
  const auto publication =
      PublicationAtEnd(spec, SomePlaces(), OrdersOf(spec), {.state = "failed", .ran = false});
  EXPECT_TRUE(publication.outputs.empty());
  EXPECT_EQ(publication.logs.size(), 1u);
}

TEST(PublishingTest, JobIdIsPartOfThePlace) {
  const JobSpec spec = Read(
      "run: x\noutputs: {a: 's3://bkt/run-${job_id}/', b: '/runs/${job_id}'}\n"
      "logs: 's3://bkt/${job_id}/log'\n");
  const auto publication = PublicationAtEnd(spec, SomePlaces(), OrdersOf(spec), {"succeeded"});
  ASSERT_EQ(publication.outputs.size(), 1u);
  EXPECT_EQ(publication.outputs[0].to, "s3://bkt/run-7/");
  EXPECT_EQ(publication.logs_to, "s3://bkt/7/log");
  EXPECT_EQ(OutputFolder(spec.outputs[1], SomePlaces()), "/runs/7");
}

TEST(PublishingTest, NothingIsPublishedWithoutRemoteDestinations) {
  const JobSpec spec = Read("run: x\noutputs: {c: /near, d: }\n");
  EXPECT_TRUE(PublicationAtEnd(spec, SomePlaces(), OrdersOf(spec), {"succeeded"}).empty());
}

TEST(PublishingTest, LogOfANodeHasTheNameOfItsTask) {
  const JobSpec spec = Read("run: x\nlogs: obs://bkt/log\nresources: {nodes: 2}\n");
  const auto orders = OrdersOf(spec);
  const auto all = PublicationAtEnd(spec, SomePlaces(), orders, {"stopped"});
  ASSERT_EQ(all.logs.size(), 2u);
  EXPECT_EQ(all.logs[1].name, std::string(kId) + "-worker-1.log");
  EXPECT_EQ(all.logs[1].path, "/d/jobs/7/attempts/2/node1/rank1.log");
  const auto own = PublicationMeanwhile(spec, SomePlaces(), orders[1]);
  ASSERT_EQ(own.logs.size(), 1u);
  EXPECT_EQ(own.logs[0].name, all.logs[1].name);
}

TEST(PublishingTest, SeveralProcessesPerNodeHaveSeparateLogs) {
  const JobSpec spec = Read(
      "run: x\nlogs: /logs\nroles: {ps: {nodes: 1, devices: cpu:1}, worker: {nodes: 2, devices: "
      "npu:2}}\n");
  const auto logs = LogsOf(spec, 7, OrdersOf(spec)[2]);
  ASSERT_EQ(logs.size(), 3u);
  EXPECT_EQ(logs[0].name, std::string(kId) + "-worker-1.log");
  EXPECT_EQ(logs[0].path, logs[1].path);
  EXPECT_EQ(logs[2].name, std::string(kId) + "-proc-rank-4-device-1.txt");
}

TEST(PublishingTest, FirstGenerationNamesLogsByTheJob) {
  const JobSpec spec = Read("name: n\nplatform: modelarts-v1\nrun: x\nlogs: s3://bkt/l\n");
  const auto logs = LogsOf(spec, 7, OrdersOf(spec)[0]);
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_EQ(logs[0].name, "job00000007-job-n-0.log");
}

TEST(PublishingTest, OnlyTheFirstNodeSyncsOutputs) {
  const JobSpec spec = Read(
      "run: x\nresources: {nodes: 2}\noutputs: {a: {to: s3://bkt/a, sync: 5s}, b: s3://bkt/b}\n");
  const auto orders = OrdersOf(spec);
  const auto first = PublicationMeanwhile(spec, SomePlaces(), orders[0]);
  ASSERT_EQ(first.outputs.size(), 1u);
  EXPECT_EQ(first.outputs[0].sync_ms, 5000);
  EXPECT_TRUE(PublicationMeanwhile(spec, SomePlaces(), orders[1]).empty());
}

TEST(PublishingTest, PublishingOrderHasNoRanksAndAUniqueToken) {
  const JobSpec spec =
      Read("run: x\nenv: {AWS_PROFILE: far}\nhooks: {setup: y}\noutputs: {a: s3://bkt/a}\n");
  const auto orders = OrdersOf(spec);
  const auto publication = PublicationAtEnd(spec, SomePlaces(), orders, {"succeeded"});
  const NodeOrder order = PublishingOrder(orders[0], "u", "/d/p/1", publication);
  EXPECT_TRUE(order.ranks.empty());
  EXPECT_TRUE(order.hooks.setup.empty());
  EXPECT_EQ(order.token, "u");
  EXPECT_EQ(order.dir, "/d/p/1/node0");
  ASSERT_EQ(order.files.size(), 1u);
  EXPECT_EQ(order.files[0].path, "/d/p/1/node0/publication.json");
  EXPECT_EQ(order.files[0].mode, 0600);
  EXPECT_NE(std::ranges::find(order.env, Pairs::value_type("AWS_PROFILE", "far")), order.env.end());
}

}  // namespace
}  // namespace muster::dialect
