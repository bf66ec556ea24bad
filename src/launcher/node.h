#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "launcher/agent_service.h"
#include "launcher/control.h"
#include "launcher/follow.h"
#include "launcher/gang_watch.h"
#include "launcher/hooks.h"
#include "launcher/ranks.h"
#include "launcher/record_writer.h"
#include "launcher/rendezvous.h"
#include "launcher/shipper.h"
#include "launcher/signals.h"
#include "launcher/stage_step.h"
#include "launcher/starter.h"
#include "launcher/stopper.h"
#include "launcher/time_limit.h"
#include "model/order.h"
#include "os/loop.h"
#include "os/sweep.h"

namespace muster::launcher {

// What this machine provided for the node before its processes start.
struct Ground {
  std::string host;          // the name of the machine
  uint64_t start_ticks = 0;  // of this process
  std::string boot;          // os::BootIdentity
  std::optional<os::Cgroup> group;
  Companions companions;
  std::vector<std::string> notes;  // from the plan, and about what the machine did not provide
};

// One node of one attempt, from the first to the last line of its record. node.cc contains the
// start path, node_stop.cc the stop path. Lives on the loop's thread; `done` runs when the last
// line is in the record.
class Node {
 public:
  Node(os::Loop& loop, RecordWriter& record, NodeOrder order, Ground ground,
       std::function<void()> done);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();

  void Begin();

 private:
  enum class Phase { kPreparing, kFetch, kPreStart, kSetup, kRanks };
  struct Wish {  // a requested stop
    StoppedBy by = StoppedBy::kNobody;
    std::string detail;
    int64_t grace_ms = -1;  // -1 for the ordered grace period
  };

  // in node.cc
  bool Undisturbed() const { return state_ == StopState::kRunning; }
  void StageIn();
  void Fetch();
  void AfterFetch(const ExitReport& report);
  void PreStart();
  void TakeExports();
  void SetUp();
  void AwaitMeeting();
  void StartRanks();
  void StartLimit();
  void OnChildren(const std::vector<EndedChild>& children);
  void AfterRanks(const std::vector<RankEnded>& ended);
  void AfterHook(const ExitReport& report);
  void Settle();
  void OnControl(const ControlLine& line);
  void OnRankFailure(const RankEnded& ended);
  void FailNode(int rank, ExitReport exit, std::string what);

  // in node_stop.cc
  void Ask(Wish wish);   // from outside: a user, another node, a limit
  void Stop(Wish wish);  // from inside, directly after children were reaped
  bool Idle() const { return ranks_.living() == 0 && !hooks_.running() && !shipper_.running(); }
  void On(StopEvent event);
  void Do(StopAction action);
  void RunStopHook();
  void SendAsk();
  bool AskBehindMpirun();
  void Hasten();
  void LookAround();
  void AskStraggler(const os::ProcessInfo& process);
  void Sweep();
  void NoteStubborn();
  void Prove();
  void RenewGroup();
  void SweepAgain();
  void End();
  void ArmDeadline(int64_t ms);
  void ArmLook(int64_t longest_ms);
  os::Sweeper& sweeper();

  os::Loop& loop_;
  RecordWriter& record_;
  NodeOrder order_;  // the order, with the variables that a pre-start script exported
  const Ground ground_;
  const std::function<void()> done_;
  const Starter starter_;
  Ranks ranks_;
  HookRunner hooks_;
  StageStep stage_step_;
  Shipper shipper_;
  AgentService agents_;
  RendezvousServer meeting_;
  Follower follower_;
  GangWatch gang_watch_;
  TimeLimit limit_;
  Control control_;
  Signals signals_;

  Phase phase_ = Phase::kPreparing;
  os::Loop::Id joining_ = 0;    // joins accounting-only cgroups, unless the node ends before
  os::Loop::Id awaiting_ = 0;   // the next check of the rendezvous
  int64_t await_until_ms_ = 0;  // steady time; 0 before the start
  bool failed_ = false;
  int return_code_ = 0;     // of the first process that failed
  int warning_signal_ = 0;  // set when it was sent

  StopState state_ = StopState::kRunning;
  std::deque<StopEvent> events_;  // not yet processed
  bool deciding_ = false;
  Wish wish_;                   // the first stop, which determines the reason
  int64_t told_grace_ms_ = -1;  // of the latest stop
  int64_t grace_ms_ = 0;
  int64_t deadline_at_ms_ = 0;  // steady time
  os::Loop::Id deadline_ = 0;
  os::Loop::Id look_ = 0;
  int64_t look_pause_ms_ = 1;
  std::set<pid_t> asked_groups_;
  std::set<std::pair<pid_t, uint64_t>> asked_stragglers_;
  std::optional<os::Sweeper> sweeper_;
  bool stubborn_noted_ = false;
};

}  // namespace muster::launcher
