#pragma once

#include <map>
#include <string>
#include <vector>

#include "engines/engine.h"

namespace muster::engines {

// The engine of tests: starts nothing, remembers what it was asked, and says what the test says.
class FakeEngine final : public Engine {
 public:
  explicit FakeEngine(std::vector<NodeInfo> nodes) : nodes_(std::move(nodes)) {}

  struct Started {
    AttemptRef ref;
    std::vector<NodeOrder> orders;
    std::map<int, int64_t> offsets;  // of each node's record
    bool recovered = false;
  };
  std::vector<Started> started;
  std::vector<std::pair<AttemptRef, ControlLine>> stops;
  std::vector<AttemptRef> released;
  std::vector<AttemptRef> confirmed;
  Status start_status;    // what Start answers
  Status recover_status;  // what Recover answers
  Status stop_status;     // what Stop answers
  bool ports_run_out = false;

  void SetEvents(EngineEvents* events) override { events_ = events; }
  std::vector<NodeInfo> Nodes() const override { return nodes_; }
  Result<std::vector<int>> ReservePorts(const AttemptRef&, const std::string&, int count) override {
    if (ports_run_out) return Fail(Code::kUnavailable, "no free ports");
    std::vector<int> ports;
    for (int i = 0; i < count; ++i) ports.push_back(next_port_++);
    return ports;
  }
  Result<std::vector<int>> ReserveCommonPorts(const AttemptRef& attempt,
                                              const std::vector<std::string>&, int count) override {
    return ReservePorts(attempt, "", count);
  }
  void ReservePorts(const AttemptRef&, const Allocation&) override {}
  void Release(const AttemptRef& attempt) override { released.push_back(attempt); }
  Status Start(const AttemptRef& attempt, const std::vector<NodeOrder>& orders) override {
    started.push_back({attempt, orders, {}, false});
    return start_status;
  }
  Status Recover(const AttemptRef& attempt, const std::vector<NodeStatus>& nodes,
                 const std::vector<NodeOrder>& orders) override {
    started.push_back({attempt, orders, {}, true});
    for (size_t i = 0; i < nodes.size(); ++i)
      started.back().offsets[int(i)] = nodes[i].record_offset;
    return recover_status;
  }
  Status Stop(const AttemptRef& attempt, const ControlLine& why) override {
    stops.emplace_back(attempt, why);
    return stop_status;
  }
  void ConfirmClean(const AttemptRef& attempt) override { confirmed.push_back(attempt); }
  Result<Inspection> Inspect(const AttemptRef&, int) override { return Inspection{}; }

  // -- for the test: what a launcher would have written
  void Say(Started& attempt, int node, RecordBody body) {
    int64_t& offset = attempt.offsets[node];
    offset += 100;
    events_->OnRecord(attempt.ref, node, RecordLine{1, 1, std::move(body)}, offset);
  }
  void BeginAll(size_t index) {
    Started copy = started.at(index);
    for (const NodeOrder& order : copy.orders) {
      Say(started.at(index), order.node, LauncherBegan{.token = copy.ref.token, .pid = 1});
      for (const RankOrder& rank : order.ranks)
        Say(started.at(index), order.node, RankStarted{rank.rank, 1000 + rank.rank, 1});
    }
  }
  // Every rank ends with `exit`, every node is clean and says its last word.
  void EndAll(size_t index, const ExitReport& exit) {
    Started copy = started.at(index);
    for (const NodeOrder& order : copy.orders)
      for (const RankOrder& rank : order.ranks)
        Say(started.at(index), order.node, RankEnded{rank.rank, exit});
    for (const NodeOrder& order : copy.orders) {
      Say(started.at(index), order.node, NodeClean{});
      Say(started.at(index), order.node, LauncherEnded{});
    }
  }
  void Lose(size_t index, int node, const std::string& why) {
    events_->OnNodeLost(started.at(index).ref, node, why, NodeClean{});
  }
  void LoseUnproven(size_t index, int node, const std::string& why) {
    events_->OnNodeUnproven(started.at(index).ref, node, why);
  }

 private:
  std::vector<NodeInfo> nodes_;
  EngineEvents* events_ = nullptr;
  int next_port_ = 20000;
};

}  // namespace muster::engines
