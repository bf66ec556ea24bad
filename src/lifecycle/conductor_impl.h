#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/rare_log.h"
#include "dialect/plan.h"
#include "lifecycle/conductor.h"
#include "lifecycle/live.h"
#include "lifecycle/watchers.h"
#include "scheduler/wait_reason.h"

namespace muster::lifecycle {

// The state and the steps behind Conductor; one file per step, named at the declarations.
// Longer than most headers, because it declares the steps of all these files.
struct Conductor::Impl {
  explicit Impl(Parts parts) : parts(parts) {}

  // -- submit.cc
  using SubmitDone = std::function<void(std::expected<SubmitResult, Refusal>)>;
  void Submit(SubmitRequest request, SubmitDone done);
  void Rerun(JobId id, const std::string& key, const std::string& user,
             const json::object& parameters, SubmitDone done);
  void Accept(std::vector<JobSpec> specs, const SubmitRequest& request, json::object submitted,
              SubmitDone done);
  bool MadeFrom(const std::vector<JobId>& ids, const std::vector<JobSpec>& specs) const;
  bool AnswerRepeated(const std::string& key, const std::vector<JobSpec>& specs, SubmitDone& done);
  void CheckSpecs(std::vector<JobSpec>& specs, const SubmitRequest& request,
                  std::vector<Fault>& faults) const;
  void Accepted(const std::vector<JobId>& ids);

  using Changed = std::function<void(Result<State>)>;  // -- update.cc
  void Update(JobId id, const JobChange& change, const std::string& who, Changed done);

  // -- queue.cc: waiting jobs and their start
  void EnqueueOrWait(Live& entry);
  void LeaveQueue(Live& entry);
  void ScheduleSoon();
  void Schedule();
  scheduler::Cluster ClusterNow() const;
  void ReleaseDependants(JobId ended, State state);

  // -- start.cc
  void BeginAttempt(Live& entry, Allocation allocation);
  void StartNodes(const engines::AttemptRef& ref, const std::vector<NodeOrder>& orders);
  Status ReservePorts(const engines::AttemptRef& ref, const JobSpec& spec, Allocation& allocation);
  Result<std::vector<NodeOrder>> Orders(const Job& job, const Attempt& attempt) const;
  dialect::Places PlacesOf(const Job& job, const Attempt& attempt) const;
  void FailBeforeStart(Live& entry, const Error& error);

  // -- watch.cc: processing of record lines
  void TakeRecord(Live& entry, int node, const RecordLine& line, int64_t end_offset);
  // `how`: lost, which may be retried, also if the launcher died before its first line; or could
  // not start.
  void TakeLost(Live& entry, int node, const std::string& why, const NodeClean& clean,
                ExitClass how);
  void NoteLost(Live& entry, int node, const ExitReport& exit);
  void SayNotes(const Live& entry, int node, const std::vector<std::string>& notes);
  void NoteStarted(Live& entry);
  void NoteRankEnded(Live& entry);
  void NoteFailure(Live& entry, int node, const NodeFailed& failed);
  Live* Current(const engines::AttemptRef& ref);

  // -- unproven.cc: nodes whose launcher and supervisor were both killed
  void TakeUnproven(Live& entry, int node, const std::string& why);
  void ConfirmClean(JobId id, const std::string& who, std::function<void(Result<State>)> done);

  // -- stop.cc
  void Stop(JobId id, const std::string& who, std::optional<int64_t> grace_ms,
            std::function<void(Result<State>)> done);
  void StopGroup(const std::string& group, const std::string& who,
                 std::function<void(Result<int>)> done);
  void StopQueued(Live& entry, const std::string& reason, std::function<void(Result<State>)> done);
  // Returns whether the nodes will receive the stop: the line in their control file survives this
  // server.
  bool StopAttempt(Live& entry, StoppedBy by, const std::string& detail,
                   std::optional<int64_t> grace_ms);

  // -- finish.cc
  void FinishIfOver(Live& entry);
  void EndAttempt(Live& entry);
  void TidyAfter(const Live& entry) const;
  void GiveInputsBack(const Live& entry) const;
  void EndJob(Live& entry, Event event, const std::string& reason);
  std::vector<store::Op> EndOps(Live& entry, Event event, const std::string& reason);
  void Forget(JobId id, State state);
  void Remove(JobId id, std::function<void(Status)> done);
  void RemoveFolderFirst(JobId id, const os::Path& folder, std::function<void(Status)> done);

  // -- publish.cc: publication of outputs and logs after all nodes have ended
  bool PublishFirst(Live& entry);  // returns whether a publication is necessary
  void BeginPublishing(Live& entry);
  Status TakeUpPublishing(Live& entry);
  void TakePublishRecord(Live& entry, const RecordLine& line, int64_t end_offset);
  void TakePublisherLost(Live& entry, const std::string& why);
  void EndPublishing(Live& entry, std::string error);
  Live* Publishing(const engines::AttemptRef& ref);
  engines::AttemptRef PublishRef(const Job& job, const Attempt& attempt) const;

  // -- collect.cc: removal of unused code snapshots
  void CollectCode();
  void CollectCodeTwice();

  // -- recover.cc
  Status Recover();
  void Resume(Live& entry);
  Status TakeUp(Live& entry, const engines::AttemptRef& ref);
  void EmptyTrash();

  // -- views.cc
  Result<Job> Find(JobId id) const;
  Result<scheduler::Why> Why(JobId id) const;
  std::string WaitReason(JobId id) const;
  std::vector<NodeUse> Nodes() const;
  PlanWork PlanOf(json::value document) const;
  json::object VerdictOf(const Job& job) const;
  Pairs OutputFolders(const Job& job) const;

  // -- journaling.cc
  // Changes the state by the table; false if the cell says stay or refuse. Appends the event.
  bool Move(Live& entry, Event event, const std::string& reason, std::vector<store::Op>& ops);
  store::Op EventOp(const Live& entry, std::string kind, json::object data) const;
  void CommitMove(Live& entry, std::vector<store::Op> ops, store::Sync sync = store::Sync::kNow);
  static std::vector<store::Op> WithUnsaid(Live& entry, std::vector<store::Op> ops);  // in front
  // Writes until it is durable, also after errors; then runs `then` on the loop.
  void Commit(std::vector<store::Op> ops, std::function<void()> then = {},
              store::Sync sync = store::Sync::kNow);
  std::vector<store::Op> Refreshed(std::vector<store::Op> ops) const;
  // Writes once; reports the result on the loop.
  void TryCommit(std::vector<store::Op> ops, std::function<void(Status)> then,
                 store::Sync sync = store::Sync::kNow);
  void FlushSoon(Live& entry);

  os::Path JobDir(JobId id) const { return parts.data / "jobs" / std::to_string(id); }
  engines::AttemptRef RefOf(const Job& job, const Attempt& attempt) const;
  int64_t Now() const { return parts.loop.clock().WallMs(); }

  Parts parts;
  std::map<JobId, Live> jobs;                   // all unfinished jobs
  std::set<JobId> placed;                       // those that hold devices, and possibly others
  std::map<JobId, std::set<JobId>> dependants;  // jobs that wait for a job, by its id
  std::vector<scheduler::Waiting> queue;        // sorted by priority, then id
  std::map<std::string, std::vector<SubmitDone>> keys_in_flight;
  JobId next_id = 1;
  bool schedule_due = false, collecting = false, second_look_due = false;  // the last two: code
  // Made for lists; valid until the next decision, for a second at most.
  mutable std::optional<scheduler::WaitReasons> wait_reasons;
  mutable int64_t wait_reasons_ms = 0;
  RareLog rare;  // rate limit for messages of repeated retries
  bool IsRare(const char* fault) { return rare.IsDue(fault, parts.loop.clock().SteadyMs()); }
  Watchers watchers;
  std::shared_ptr<bool> here = std::make_shared<bool>(true);
};

}  // namespace muster::lifecycle
