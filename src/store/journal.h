#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/job.h"
#include "os/file.h"
#include "os/file_identity.h"

namespace muster::store {

// The journal of jobs: SQLite in WAL mode, synchronous=FULL. One thread writes, committing all that
// waits as one transaction; reads go through a connection of their own on the caller's thread.
//
// What is written is a batch of these, all or nothing:
// Inserts a job, or replaces everything but its attempts, its spec and its key. A new job under a
// key that an earlier batch used makes its batch fail with kExists: FindKey has the earlier jobs
// then.
struct PutJob {
  Job job;
};
struct PutSpec {  // replaces the spec of a job and its priority in lists; kNotFound as below
  JobId job = 0;
  JobSpec spec;
};
struct PutAttempt {  // inserts or replaces; kNotFound for an unknown job
  JobId job = 0;
  Attempt attempt;
};
struct AddEvent {  // kNotFound for an unknown job
  JobId job = 0;
  int64_t wall_ms = 0;
  std::string kind;
  json::object data;
};
struct DropJob {  // with its attempts and events; no error if the job is unknown
  JobId job = 0;
};
using Op = std::variant<PutJob, PutSpec, PutAttempt, AddEvent, DropJob>;

struct EventRow {
  int64_t seq = 0;  // increases over all jobs and is never reused: the id of the event stream
  JobId job = 0;
  int64_t wall_ms = 0;
  std::string kind;
  json::object data;
};

// A line of `muster ps`: the columns of a list, without the documents.
struct JobRow {
  JobId id = 0;
  std::string name, framework, group, user, reason;
  State state = State::kQueued;
  int nodes = 0, ranks = 0;
  std::string devices;  // "npu:8"
  int priority = 0;
  int64_t created_ms = 0;
  int64_t started_ms = 0;  // of the last attempt: when all ranks execute
  int64_t ended_ms = 0;
  int attempts = 0;
};

// The jobs of one submit under its idempotency key; several for a sweep.
struct KeyUse {
  std::vector<JobId> jobs;  // ascending, without removed jobs
  std::string group;        // of the sweep, else empty
};

enum class JobSort { kId, kName, kState, kFramework, kUser, kPriority, kDuration };

struct JobFilter {
  std::vector<State> states;  // empty for any
  std::string name;           // exact match; empty for any
  std::string group;
  std::string user;
  std::pair<std::string, std::string> label;  // name and value; empty: any
  std::optional<JobId> before;                // ids below this: the paging cursor, newest first
  int limit = 100;
  // These read every job that the members above leave, instead of a few entries of an index.
  std::string text = {};  // in the id, name, user, group or framework, in any case of letters
  JobSort sort = JobSort::kId;
  bool ascending = false;
  int64_t offset = 0;  // rows to skip
};

// When a batch must be on disk. A commit survives the end of this process at any instant; a power
// cut may undo a kLazy batch, unless another batch was committed after it.
enum class Sync {
  kNow,   // before `done`: for results that are reported to users
  kSoon,  // before `done`, delayed to share a sync; kLazy batches that arrive meanwhile precede it
  kLazy,  // with the next sync: for facts that a power cut undoes anyway, such as running ranks
};

// How a journal is opened.
struct JournalOptions {
  os::Path jobs;             // the folder with the folders of jobs; empty: it is not looked at
  bool accept_loss = false;  // opens a journal that has lost data
  os::FileGuard guard = {};  // files that must stay where they are, beside the journal's own
};

class Journal {
 public:
  // Opens or makes the file and brings its schema up to date, one migration after the other in a
  // transaction each. A newer schema than ours is refused with both versions named; a file that is
  // damaged or something else is refused and left as it is. The folder must exist.
  //
  // A journal that has lost jobs or events, by the high-water mark beside it (journal.mark) and by
  // the folders of jobs, is refused with kCorrupt and left as it is, unless the loss is accepted.
  static Result<std::unique_ptr<Journal>> Open(const os::Path& file, JournalOptions options = {});
  virtual ~Journal() = default;

  // The jobs of which only their folders are left, when a loss was accepted.
  virtual std::vector<JobId> LostJobs() const { return {}; }

  // Queues a batch; `done` runs on the writer's thread once it is committed, or could not be: kIo
  // while one of the journal's files is not where it was, since a commit into it would be lost.
  // Batches are committed in the order of the calls, but for what kSoon says. Any thread.
  virtual void Write(std::vector<Op> batch, Sync sync, std::function<void(Status)> done) = 0;
  void Write(std::vector<Op> batch, std::function<void(Status)> done) {
    Write(std::move(batch), Sync::kNow, std::move(done));
  }
  // Waits until everything queued is durable or failed, and `done` has run. For shutdown and tests;
  // never from `done`.
  virtual void Flush() = 0;

  // Reads see everything that was durable at their start, each as a consistent snapshot. Any
  // thread.
  virtual Result<std::optional<Job>> FindJob(JobId id) = 0;  // with attempts
  virtual Result<std::optional<KeyUse>> FindKey(const std::string& key) = 0;
  virtual Result<std::vector<JobRow>> ListJobs(const JobFilter& filter) = 0;
  // How many jobs there are in each state; the states, the paging and the sorting of `filter` are
  // ignored.
  virtual Result<std::map<State, int64_t>> CountJobs(const JobFilter& filter) = 0;
  virtual Result<std::vector<Job>> UnfinishedJobs() = 0;  // sorted by id, with attempts
  virtual Result<std::vector<EventRow>> Events(std::optional<JobId> job, int64_t after_seq,
                                               int limit) = 0;
  virtual Result<int64_t> LastEventSeq() = 0;
  virtual Result<bool> UsesCode(const std::string& hash) = 0;  // whether the spec of a job names it
  virtual Result<JobId> NextJobId() = 0;  // above every id ever used, including removed jobs
};

}  // namespace muster::store
