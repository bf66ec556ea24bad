#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "engines/fake_engine.h"
#include "model/job.h"
#include "model/record.h"

namespace muster::lifecycle {

// The real state of one node of an attempt. It survives the server; its record contains its
// actions, which the server may read late or again.
struct FakeLauncher {
  std::vector<int> ranks;
  std::vector<RecordBody> record;
  size_t started = 0, ended = 0;  // number of its ranks, in order
  bool stop_said = false, over = false, dead = false;
  int ended_well = 0;

  bool Running() const { return !over && !dead; }
};

struct FakeAttempt {
  JobId job = 0;
  std::string token;
  Allocation allocation;
  std::vector<FakeLauncher> nodes;
  StoppedBy told = StoppedBy::kNobody;  // the first stop in its control file

  bool Over() const {
    return std::none_of(nodes.begin(), nodes.end(),
                        [](const FakeLauncher& node) { return node.Running(); });
  }
  bool AllRanksEndedWell() const {
    return std::all_of(nodes.begin(), nodes.end(), [](const FakeLauncher& node) {
      return node.ended_well == int(node.ranks.size());
    });
  }
};

// The nodes of a cluster: all started launchers in start order.
class FakeLaunchers {
 public:
  FakeAttempt* Find(const std::string& token) {
    for (FakeAttempt& attempt : attempts_)
      if (attempt.token == token) return &attempt;
    return nullptr;
  }
  FakeAttempt& Begin(const engines::FakeEngine::Started& started, const Allocation& allocation) {
    FakeAttempt attempt{
        .job = started.ref.job, .token = started.ref.token, .allocation = allocation};
    for (const NodeOrder& order : started.orders) {
      FakeLauncher node;
      for (const RankOrder& rank : order.ranks) node.ranks.push_back(rank.rank);
      node.record.push_back(LauncherBegan{.token = attempt.token, .pid = 1});
      attempt.nodes.push_back(std::move(node));
    }
    attempts_.push_back(std::move(attempt));
    return attempts_.back();
  }

  // The next action of this launcher. `bad`: a rank that could succeed fails.
  static void Act(FakeAttempt& attempt, FakeLauncher& node, bool bad) {
    if (!node.Running()) return;
    if (attempt.told != StoppedBy::kNobody) return ActStopping(attempt, node);
    if (node.started < node.ranks.size()) {
      const int rank = node.ranks[node.started++];
      node.record.push_back(RankStarted{rank, 1000 + rank, 1});
    } else if (node.ended < node.ranks.size()) {
      const int rank = node.ranks[node.ended++];
      const ExitReport exit = bad ? ExitReport{.how = ExitClass::kExitCode, .code = 7}
                                  : ExitReport{.how = ExitClass::kSucceeded};
      node.record.push_back(RankEnded{rank, exit});
      node.ended_well += bad ? 0 : 1;
      if (!bad) return;
      node.record.push_back(NodeFailed{rank, exit, "rank " + std::to_string(rank)});
      attempt.told = StoppedBy::kRankFailure;
    } else {
      End(node);
    }
  }

  // Dies with all its processes, as the engine will detect.
  static void Die(FakeLauncher& node) {
    if (node.Running()) node.dead = true;
  }

  std::vector<FakeAttempt>& attempts() { return attempts_; }

 private:
  static void ActStopping(const FakeAttempt& attempt, FakeLauncher& node) {
    if (!std::exchange(node.stop_said, true)) {
      node.record.push_back(StopBegan{attempt.told, ""});
    } else if (node.ended < node.started) {
      const ExitReport exit{.how = ExitClass::kStopped, .signal = 15, .stopped_by = attempt.told};
      node.record.push_back(RankEnded{node.ranks[node.ended++], exit});
    } else {
      End(node);
    }
  }

  static void End(FakeLauncher& node) {
    node.record.push_back(NodeClean{});
    node.record.push_back(LauncherEnded{});
    node.over = true;
  }

  std::vector<FakeAttempt> attempts_;
};

}  // namespace muster::lifecycle
