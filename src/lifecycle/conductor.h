#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "engines/engine.h"
#include "model/job.h"
#include "model/spec_reader.h"
#include "os/file.h"
#include "os/loop.h"
#include "os/pool.h"
#include "scheduler/scheduler.h"
#include "store/code_store.h"
#include "store/journal.h"

namespace muster::lifecycle {

class AttemptKeys;

// The collaborators of the conductor; all outlive it.
struct Parts {
  os::Loop& loop;
  os::Pool& pool;
  store::Journal& journal;
  store::CodeStore& code;
  engines::Engine& engine;
  os::Path data;     // the data directory
  std::string self;  // path of the executable
  int64_t input_cache =
      0;  // size limit of the input cache on each machine in bytes; 0 for a share of its disk
  // Removes the fetched inputs of an ended attempt from its folder. Called on the pool.
  std::function<Status(const os::Path& attempt_dir)> stage_back = {};
  AttemptKeys* keys = nullptr;  // of the object store; null: attempts get none
};

struct SubmitRequest {
  json::value document;   // the job file as JSON, with absolute paths
  std::string code_hash;  // snapshot uploaded by the client; empty for a job without code
  std::string key;        // idempotency key; empty for none
  std::string user;
};
struct SubmitResult {
  std::vector<JobId> jobs;  // several for a sweep
  std::string group;        // set for a sweep
  bool repeated = false;    // the key was used before: these are the earlier jobs
  std::string warning;      // why the jobs can never start on the nodes there are; else empty
};
struct Refusal {
  Error error;
  std::vector<Fault> faults;  // set if the document has faults
};

struct NodeUse {
  NodeInfo info;
  std::map<std::string, int> used;  // kind to the number of devices in use
  std::vector<JobId> jobs;
  std::vector<JobId> unproven;  // of these, whose leftovers on this node may still live
  int64_t used_memory = 0;      // of its machine, by all jobs that say how much they need
};

// New values for a queued job; what is empty stays.
struct JobChange {
  std::optional<int> priority;
  std::optional<int64_t> time_limit_ms;  // 0: no limit
  std::optional<bool> held;              // a held job does not start
};
bool IsHeld(const Job& job);

// Executes the life cycle of all jobs: submit, queue, place, plan, start, watch, judge, finish.
// Lives on the server's loop and never blocks. One file per step.
class Conductor final : public engines::EngineEvents {
 public:
  explicit Conductor(Parts parts);
  ~Conductor() override;

  // Resumes every unfinished job from the journal and the records. Called before the first request.
  Status Recover();

  // `done` is called when the jobs are durable or refused. Atomic: a sweep is accepted completely
  // or not at all.
  void Submit(SubmitRequest request,
              std::function<void(std::expected<SubmitResult, Refusal>)> done);
  // kConflict if the job has ended. `done` is called when the request is durable, not when the job
  // has stopped.
  void Stop(JobId id, const std::string& who, std::optional<int64_t> grace_ms,
            std::function<void(Result<State>)> done);
  // A user has looked at the nodes whose cleanness nothing proves: nothing of the job is left
  // there. kConflict when the job waits for no such word.
  void ConfirmClean(JobId id, const std::string& who, std::function<void(Result<State>)> done);
  // Stops every unfinished job of a sweep and returns their number. kNotFound for an unknown group.
  void StopGroup(const std::string& group, const std::string& who,
                 std::function<void(Result<int>)> done);
  // Changes a queued job; kConflict for a job in another state. `done` runs once it is durable.
  void Update(JobId id, const JobChange& change, const std::string& who,
              std::function<void(Result<State>)> done);
  // A new job with the same spec and code, but for these parameters.
  void Rerun(JobId id, const std::string& key, const std::string& user,
             const json::object& parameters,
             std::function<void(std::expected<SubmitResult, Refusal>)> done);
  // Removes an ended job with its folder; kConflict for an unfinished one.
  void Remove(JobId id, std::function<void(Status)> done);

  // The state that is durable or newer; kNotFound. Includes attempts.
  Result<Job> Find(JobId id) const;
  // Why a queued job waits, in one short line for lists; empty for other jobs.
  std::string WaitReason(JobId id) const;
  // For a queued job; for others the text describes their state.
  Result<scheduler::Why> Why(JobId id) const;
  std::vector<NodeUse> Nodes() const;
  // The orders that this document would get on these nodes if they were free; nothing is started.
  // The function needs nothing of the conductor and may run on any thread. For thousands of nodes
  // it takes seconds.
  using PlanWork = std::function<std::expected<std::vector<NodeOrder>, Refusal>()>;
  PlanWork PlanOf(json::value document) const;

  // The verdict of an ended job as in GET /jobs/{id}; empty if it did not fail.
  json::object VerdictOf(const Job& job) const;

  // `fn` runs on the loop after a change of this job, or of any job, has become durable. Streams
  // then read the journal.
  using WatchId = uint64_t;
  WatchId OnEvents(std::optional<JobId> job, std::function<void()> fn);
  void Unwatch(WatchId id);

  os::Path JobDir(JobId id) const;
  Pairs OutputFolders(const Job& job) const;  // name and folder, as in the launch orders
  os::Path NodeDir(JobId id, int attempt, int node) const;  // the folder of rank<r>.log and series

  // EngineEvents
  void OnRecord(const engines::AttemptRef& attempt, int node, const RecordLine& line,
                int64_t end_offset) override;
  void OnNodeLost(const engines::AttemptRef& attempt, int node, const std::string& why,
                  const NodeClean& clean) override;
  void OnNodeUnproven(const engines::AttemptRef& attempt, int node,
                      const std::string& why) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::lifecycle
