#include "engines/contract_suite.h"

#include <fmt/format.h>

#include "os/process_table.h"
#include "os/sweep.h"

namespace muster::engines {

AttemptRef EngineContractTest::NewAttempt(int number) {
  const std::string token = os::RandomHex(8);
  AttemptRef attempt{7, number, token, under_test_->scratch() / ("attempt-" + token)};
  EXPECT_TRUE(os::MakeDirs(attempt.dir));
  return attempt;
}

std::vector<NodeOrder> EngineContractTest::Orders(const AttemptRef& attempt, int nodes,
                                                  const std::string& script) {
  const auto infos = engine().Nodes();
  std::vector<NodeOrder> orders;
  for (int k = 0; k < nodes; ++k) {
    NodeOrder order;
    order.job = attempt.job;
    order.attempt = attempt.attempt;
    order.token = attempt.token;
    order.node = k;
    order.node_count = nodes;
    order.node_name = order.hostname = infos.at(size_t(k)).name;
    order.address = infos.at(size_t(k)).address;
    order.attempt_dir = attempt.dir;
    order.dir = fmt::format("{}/node{}", attempt.dir, k);
    order.work_dir = order.dir + "/work";
    order.grace_ms = 300;
    order.ranks = {
        {.rank = k, .role = "worker", .argv = {"/bin/sh", "-c", script}, .cwd = order.work_dir}};
    orders.push_back(std::move(order));
  }
  return orders;
}

bool EngineContractTest::WaitEnded(const AttemptRef& attempt, int nodes) {
  return under_test_->RunUntil([&] {
    for (int k = 0; k < nodes; ++k)
      if (!told_.Ended(attempt, k)) return false;
    return true;
  });
}

std::string EngineContractTest::Log(const NodeOrder& order) const {
  return os::ReadFile(order.LogPath(order.ranks.at(0).rank)).value_or("");
}

TEST_P(EngineContractTest, OffersNodesWithDistinctNamesAndAddresses) {
  std::set<std::string> names, addresses;
  for (const NodeInfo& node : engine().Nodes()) {
    EXPECT_TRUE(names.insert(node.name).second);
    EXPECT_TRUE(addresses.insert(node.address).second);
    EXPECT_FALSE(node.devices.empty());
  }
  EXPECT_GE(names.size(), 2u) << "the suite needs two nodes";
}

TEST_P(EngineContractTest, AnAttemptRunsOnEveryNodeAndEndsWithProof) {
  const AttemptRef attempt = NewAttempt();
  const auto orders = Orders(attempt, 2, "echo out $MUSTER_NODE_MARK; echo err >&2");
  ASSERT_TRUE(engine().Start(attempt, orders));
  ASSERT_TRUE(WaitEnded(attempt, 2));
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(told_.Count<LauncherBegan>(attempt, k), 1);
    EXPECT_EQ(told_.Count<RankStarted>(attempt, k), 1);
    ASSERT_EQ(told_.Count<RankEnded>(attempt, k), 1);
    EXPECT_EQ(told_.First<RankEnded>(attempt, k)->exit.how, ExitClass::kSucceeded);
    ASSERT_EQ(told_.Count<NodeClean>(attempt, k), 1);
    EXPECT_EQ(told_.First<NodeClean>(attempt, k)->left, 0);
    EXPECT_EQ(Log(orders[size_t(k)]), fmt::format("out {}.{}\nerr\n", attempt.token, k));
  }
  engine().Release(attempt);
}

TEST_P(EngineContractTest, StartingTwiceStartsNothingTwice) {
  const AttemptRef attempt = NewAttempt();
  const auto orders = Orders(attempt, 1, "echo once");
  ASSERT_TRUE(engine().Start(attempt, orders));
  ASSERT_TRUE(engine().Start(attempt, orders));
  ASSERT_TRUE(WaitEnded(attempt, 1));
  EXPECT_EQ(Log(orders[0]), "once\n");
  EXPECT_EQ(told_.Count<LauncherBegan>(attempt, 0), 1);
  engine().Release(attempt);
}

TEST_P(EngineContractTest, AFailureOnOneNodeStopsTheOther) {
  const AttemptRef attempt = NewAttempt();
  // The second fails once the first runs: stopped earlier, that one would have no rank to end.
  const auto orders = Orders(attempt, 2,
                             "cd $MUSTER_ATTEMPT_DIR; case $MUSTER_NODE_MARK in"
                             " *.1) until [ -e up ]; do sleep 0.01; done; exit 9;;"
                             " *) touch up; exec sleep 1000;; esac");
  ASSERT_TRUE(engine().Start(attempt, orders));
  ASSERT_TRUE(WaitEnded(attempt, 2));
  ASSERT_EQ(told_.Count<NodeFailed>(attempt, 1), 1);
  EXPECT_EQ(told_.First<NodeFailed>(attempt, 1)->exit.code, 9);
  ASSERT_EQ(told_.Count<RankEnded>(attempt, 0), 1);
  EXPECT_EQ(told_.First<RankEnded>(attempt, 0)->exit.how, ExitClass::kStopped);
  EXPECT_EQ(told_.First<RankEnded>(attempt, 0)->exit.stopped_by, StoppedBy::kRankFailure);
  engine().Release(attempt);
}

TEST_P(EngineContractTest, StopEndsEvenWhatIgnoresTermAndRunsAway) {
  const AttemptRef attempt = NewAttempt();
  const auto orders = Orders(
      attempt, 2,
      "trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 1000' & echo ready; sleep 1000; wait");
  ASSERT_TRUE(engine().Start(attempt, orders));
  ASSERT_TRUE(under_test_->RunUntil(
      [&] { return Log(orders[0]) == "ready\n" && Log(orders[1]) == "ready\n"; }));
  ASSERT_TRUE(engine().Stop(attempt, {.by = StoppedBy::kUser}));
  ASSERT_TRUE(engine().Stop(attempt, {.by = StoppedBy::kUser}));
  ASSERT_TRUE(WaitEnded(attempt, 2));
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(told_.First<RankEnded>(attempt, k)->exit.stopped_by, StoppedBy::kUser);
    EXPECT_EQ(engine().Inspect(attempt, k)->processes, 0);
    EXPECT_FALSE(engine().Inspect(attempt, k)->launcher_alive);
  }
  engine().Release(attempt);
}

TEST_P(EngineContractTest, AStopBeforeTheStartIsHonoured) {
  const AttemptRef attempt = NewAttempt();
  const auto orders = Orders(attempt, 1, "echo must not run");
  ASSERT_TRUE(engine().Stop(attempt, {.by = StoppedBy::kUser}));
  ASSERT_TRUE(engine().Start(attempt, orders));
  ASSERT_TRUE(WaitEnded(attempt, 1));
  EXPECT_EQ(Log(orders[0]), "");
  engine().Release(attempt);
}

TEST_P(EngineContractTest, ARestartedServerFindsRunningNodesAndMissesNothing) {
  const AttemptRef attempt = NewAttempt();
  const auto orders =
      Orders(attempt, 2, "echo up; while [ ! -e go ]; do sleep 0.02; done; echo done");
  ASSERT_TRUE(engine().Start(attempt, orders));
  ASSERT_TRUE(under_test_->RunUntil([&] {
    return told_.Count<RankStarted>(attempt, 0) == 1 && told_.Count<RankStarted>(attempt, 1) == 1;
  }));
  std::vector<NodeStatus> known(2);
  for (int k = 0; k < 2; ++k) known[size_t(k)].record_offset = told_.offsets[{attempt.token, k}];
  under_test_->Restart();
  engine().SetEvents(&told_);
  ASSERT_TRUE(engine().Recover(attempt, known, orders));
  for (const auto& order : orders) ASSERT_TRUE(os::WriteFileAtomic(order.work_dir + "/go", ""));
  ASSERT_TRUE(WaitEnded(attempt, 2));
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(told_.Count<LauncherBegan>(attempt, k), 1) << "told twice, or started twice";
    EXPECT_EQ(told_.Count<RankEnded>(attempt, k), 1);
    EXPECT_EQ(Log(orders[size_t(k)]), "up\ndone\n");
  }
  engine().Release(attempt);
}

TEST_P(EngineContractTest, RecoverStartsWhatWasJournaledButNeverBegan) {
  const AttemptRef attempt = NewAttempt();
  const auto orders = Orders(attempt, 1, "echo late");
  ASSERT_TRUE(engine().Recover(attempt, std::vector<NodeStatus>(1), orders));
  ASSERT_TRUE(WaitEnded(attempt, 1));
  EXPECT_EQ(Log(orders[0]), "late\n");
  engine().Release(attempt);
}

TEST_P(EngineContractTest, AKilledLauncherIsReportedLostAfterItsRanksAreGone) {
  const AttemptRef attempt = NewAttempt();
  const auto orders = Orders(attempt, 1, "setsid sleep 1000 & exec sleep 1000");
  ASSERT_TRUE(engine().Start(attempt, orders));
  ASSERT_TRUE(under_test_->RunUntil([&] { return told_.Count<RankStarted>(attempt, 0) == 1; }));
  under_test_->KillLauncher(attempt, 0);
  ASSERT_TRUE(WaitEnded(attempt, 1));
  ASSERT_TRUE(told_.lost.contains({attempt.token, 0}));
  EXPECT_EQ((told_.lost[{attempt.token, 0}].second.left), 0);
  EXPECT_EQ(engine().Inspect(attempt, 0)->processes, 0);
  engine().Release(attempt);
}

TEST_P(EngineContractTest, PortsAreDistinctUntilReleased) {
  const AttemptRef a = NewAttempt(1), b = NewAttempt(2);
  const std::string node = engine().Nodes().at(0).name;
  const auto first = engine().ReservePorts(a, node, 3);
  const auto second = engine().ReservePorts(b, node, 3);
  ASSERT_TRUE(first && second);
  for (int port : *first) EXPECT_EQ(std::count(second->begin(), second->end(), port), 0);
  const auto common = engine().ReserveCommonPorts(b, {node}, 3);
  ASSERT_TRUE(common);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ((*common)[size_t(i)], common->front() + i);
    EXPECT_EQ(std::count(first->begin(), first->end(), (*common)[size_t(i)]), 0);
    EXPECT_EQ(std::count(second->begin(), second->end(), (*common)[size_t(i)]), 0);
  }
  engine().Release(a);
  engine().Release(b);
  EXPECT_FALSE(engine().ReservePorts(a, "no-such-node", 1));
  EXPECT_FALSE(engine().ReserveCommonPorts(a, {node, "no-such-node"}, 1));
}

}  // namespace muster::engines
