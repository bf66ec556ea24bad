#include <gmock/gmock.h>

#include "lifecycle/testing/conductor_bench.h"

namespace muster::lifecycle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class UnprovenTest : public ConductorTest {
 protected:
  // A job on both nodes, whose second node is not proven clean while the first has ended.
  JobId LoseSecondNode(int retries = 0) {
    json::object document = Doc("npu:8", 2);
    document["retries"] = retries;
    const JobId id = SubmitOne(document);
    Begin(0);
    engine_->LoseUnproven(0, 1, "its launcher died, and its supervisor too");
    engine_->Say(engine_->started[0], 0, NodeClean{});
    engine_->Say(engine_->started[0], 0, LauncherEnded{});
    Settle();
    return id;
  }
  Result<State> Confirm(JobId id) {
    std::optional<Result<State>> answer;
    conductor_->ConfirmClean(id, "bob", [&](auto result) { answer = std::move(result); });
    Settle();
    return answer.value();
  }
  int UsedOn(size_t node) {
    const auto nodes = conductor_->Nodes();
    const auto used = nodes.at(node).used.find("npu");
    return used == nodes.at(node).used.end() ? 0 : used->second;
  }
};

TEST_F(UnprovenTest, JobKeepsItsDevicesAndNamesTheCommand) {
  const JobId id = LoseSecondNode();
  EXPECT_EQ(StateOf(id), State::kStopping);
  EXPECT_EQ(engine_->stops.back().second.by, StoppedBy::kRankFailure);
  EXPECT_THAT(conductor_->Find(id)->reason, HasSubstr("on node-1, so its devices stay reserved"));
  EXPECT_THAT(conductor_->Find(id)->reason, HasSubstr("muster stop 1 --confirm-clean"));
  EXPECT_EQ(UsedOn(1), 8);
  EXPECT_THAT(conductor_->Nodes()[0].unproven, IsEmpty());
  EXPECT_THAT(conductor_->Nodes()[1].unproven, ElementsAre(id));
  EXPECT_TRUE(engine_->confirmed.empty());
}

TEST_F(UnprovenTest, ConfirmationEndsTheJobAndIsKept) {
  const JobId id = LoseSecondNode();
  EXPECT_EQ(Confirm(id).value(), State::kStopping);
  ASSERT_EQ(engine_->confirmed.size(), 1u);
  engine_->Lose(0, 1, "its launcher died");  // the engine's answer
  Settle();
  const Job job = conductor_->Find(id).value();
  EXPECT_EQ(job.state, State::kFailed);
  const NodeStatus& node = job.current()->nodes[1];
  EXPECT_EQ(node.confirmed_by, "bob");
  EXPECT_FALSE(node.unproven.empty());
  EXPECT_FALSE(node.clean) << "nothing was proven";
  EXPECT_EQ(UsedOn(1), 0);
  EXPECT_THAT(conductor_->Nodes()[1].unproven, IsEmpty());
}

TEST_F(UnprovenTest, LateProofEndsTheJobWithoutAConfirmation) {
  const JobId id = LoseSecondNode();
  engine_->Lose(0, 1, "its launcher died");
  Settle();
  const Job job = conductor_->Find(id).value();
  EXPECT_EQ(job.state, State::kFailed);
  EXPECT_TRUE(job.current()->nodes[1].unproven.empty());
  EXPECT_TRUE(job.current()->nodes[1].clean);
}

TEST_F(UnprovenTest, RetryWaitsForTheConfirmation) {
  const JobId id = LoseSecondNode(1);
  EXPECT_EQ(conductor_->Find(id)->attempts.size(), 1u);
  ASSERT_TRUE(Confirm(id));
  engine_->Lose(0, 1, "its launcher died");
  Settle();
  EXPECT_EQ(conductor_->Find(id)->attempts.size(), 2u);
}

TEST_F(UnprovenTest, ConfirmationSurvivesTheServer) {
  const JobId id = LoseSecondNode();
  ASSERT_TRUE(Confirm(id));
  Crash();
  Open();
  EXPECT_TRUE(engine_->confirmed.empty());
  engine_->LoseUnproven(0, 1, "its launcher died, and its supervisor too");
  Settle();
  EXPECT_EQ(engine_->confirmed.size(), 1u);
  EXPECT_EQ(StateOf(id), State::kStopping);
}

TEST_F(UnprovenTest, JobWithoutAnUnprovenNodeNeedsNoConfirmation) {
  EXPECT_EQ(Confirm(99).error().code, Code::kNotFound);
  const JobId id = SubmitOne(Doc());
  Begin(0);
  EXPECT_EQ(Confirm(id).error().code, Code::kConflict);
  EXPECT_EQ(StateOf(id), State::kRunning);
  End(0, kGood);
  EXPECT_EQ(Confirm(id).error().code, Code::kConflict);
}

}  // namespace
}  // namespace muster::lifecycle
