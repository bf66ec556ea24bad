#include "model/record.h"

#include <gtest/gtest.h>

#include "model/job.h"
#include "model/order.h"

namespace muster {
namespace {

std::string Sample() {
  ExitReport exit{.how = ExitClass::kExitCode, .code = 7};
  std::string bytes;
  for (RecordBody body : std::vector<RecordBody>{
           LauncherBegan{"tok", 5, 99, "node-0", "job1", {"no cgroup"}}, StageDone{3, 100, 2},
           StageNote{"half of it"}, GangNote{"apart", true}, RankStarted{0, 11, 100},
           RankEnded{0, exit}, NodeFailed{0, exit, "rank 0"}, StopBegan{StoppedBy::kUser, "x"},
           WarningSent{"USR1", 1000}, NodeClean{2, 1, 0, 12, {"sleep"}}, LauncherEnded{true}})
    bytes += EncodeRecordLine({1000, 5, body});
  return bytes;
}

TEST(RecordTest, EveryLineTypeRoundTrips) {
  const std::string bytes = Sample();
  const auto part = DecodeRecord(bytes);
  ASSERT_TRUE(part);
  ASSERT_EQ(part->lines.size(), 11u);
  EXPECT_EQ(part->used, bytes.size());
  EXPECT_EQ(part->lines.back().end, bytes.size());
  std::string again;
  for (const auto& line : part->lines) again += EncodeRecordLine(line);
  EXPECT_EQ(again, bytes);
}

TEST(RecordTest, TornLastLineIsIgnored) {
  const std::string bytes = Sample();
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    const auto part = DecodeRecord(std::string_view(bytes).substr(0, cut));
    ASSERT_TRUE(part) << cut;
    EXPECT_LE(part->used, cut);
    const auto rest = DecodeRecord(std::string_view(bytes).substr(part->used));
    ASSERT_TRUE(rest);
    EXPECT_EQ(part->lines.size() + rest->lines.size(), 11u);
  }
}

TEST(RecordTest, FlippedByteIsReportedAsCorruption) {
  std::string bytes = Sample();
  bytes[40] = char(bytes[40] ^ 1);
  const auto part = DecodeRecord(bytes);
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error().code, Code::kCorrupt);
  EXPECT_NE(part.error().text.find("byte 0"), std::string::npos);
}

TEST(RecordTest, HostileBytesAreRejected) {
  for (std::string text : {"\n", "00000000 {}\n", "zzzzzzzz {}\n", "garbage without end",
                           "12345678{}\n", "\0\0\0\0\0\0\0\0\0\0\n"}) {
    const auto part = DecodeRecord(text);
    if (part) {
      EXPECT_TRUE(part->lines.empty());
    }
  }
}

TEST(RecordTest, ControlLinesRoundTrip) {
  const ControlLine line{StoppedBy::kRankFailure, 1, 9, "exited with code 3", 500};
  const auto part = DecodeControl(EncodeControlLine(line) + EncodeControlLine({}));
  ASSERT_TRUE(part);
  ASSERT_EQ(part->lines.size(), 2u);
  EXPECT_EQ(part->lines[0].rank, 9);
  EXPECT_EQ(part->lines[0].by, StoppedBy::kRankFailure);
  EXPECT_EQ(part->lines[0].grace_ms, 500);
  EXPECT_EQ(part->lines[1].by, StoppedBy::kUser);
}

TEST(OrderTest, JsonRoundTrips) {
  NodeOrder order;
  order.job = 7;
  order.token = "t";
  order.dir = "/d/node0";
  order.attempt_dir = "/d";
  order.hosts = Hosts{{"127.77.0.1", "node-0"}};
  order.files = {{"/d/hostfile", "node-0 slots=2\n", 0600}};
  order.ranks = {{3, 1, "worker", true, {"/bin/sh", "-c", "x"}, {{"A", "b"}}, "/d/work"}};
  order.hooks.setup = "true";
  order.time_limit_ms = 5;
  const auto again = NodeOrderFromJson(ToJsonObject(order));
  ASSERT_TRUE(again);
  EXPECT_EQ(ToJsonObject(*again), ToJsonObject(order));
}

TEST(OrderTest, OtherVersionIsRefusedByName) {
  const auto order = NodeOrderFromJson(json::object{{"version", 1}});
  ASSERT_FALSE(order);
  EXPECT_NE(order.error().text.find("version 1"), std::string::npos);
}

TEST(JobTest, AttemptRoundTrips) {
  Attempt attempt;
  attempt.token = "t";
  attempt.allocation.nodes = {
      {0, "worker", "node-0", "127.77.0.1", true, "npu", {0, 1}, {20000}, {{0, "10.0.0.1"}}}};
  attempt.nodes = {{"node-0", 120, true, true, false, NodeClean{1, 1, 0, 5, {"x"}}, {"n"}}};
  attempt.ranks = {{0, 0, "worker", 17, 5, 6, ExitReport{.how = ExitClass::kSucceeded}}};
  attempt.cause = Cause{0, 0, "node-0", {.how = ExitClass::kSignal, .signal = 11}, "rank 0"};
  attempt.exit = ExitReport{.how = ExitClass::kSignal, .signal = 11};
  EXPECT_EQ(ToJsonObject(AttemptFromJson(ToJsonObject(attempt))), ToJsonObject(attempt));
}

}  // namespace
}  // namespace muster
