#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/job.h"
#include "os/file.h"

namespace muster::store {

// The journal of jobs: SQLite in WAL mode, synchronous=FULL. One thread writes, committing all that
// waits as one transaction; reads go through a connection of their own on the caller's thread.
//
// What is written is a batch of these, all or nothing:
struct PutJob { Job job; };             // insert or replace everything but attempts (spec only on insert)
struct PutAttempt { JobId job = 0; Attempt attempt; };
struct AddEvent { JobId job = 0; int64_t wall_ms = 0; std::string kind; json::object data; };
struct DropJob { JobId job = 0; };      // with its attempts and events
using Op = std::variant<PutJob, PutAttempt, AddEvent, DropJob>;

struct EventRow {
  int64_t seq = 0;  // rises over all jobs, never reused: the id of the event stream
  JobId job = 0;
  int64_t wall_ms = 0;
  std::string kind;
  json::object data;
};

// One line of `muster ps`: what a list shows without reading the documents.
struct JobRow {
  JobId id = 0;
  std::string name, framework, group, user, reason;
  State state = State::kQueued;
  int nodes = 0, ranks = 0;
  std::string devices;  // "npu:8"
  int priority = 0;
  int64_t created_ms = 0, started_ms = 0, ended_ms = 0;
  int attempts = 0;
};

struct JobFilter {
  std::vector<State> states;  // empty: any
  std::string name;           // exact; empty: any
  std::string group;
  std::string user;
  std::optional<JobId> before;  // ids below this: the paging cursor, newest first
  int limit = 100;
};

class Journal {
 public:
  // Opens or makes the file and brings its schema up to date, one migration after the other in a
  // transaction each. A newer schema than ours is refused with both versions named.
  static Result<std::unique_ptr<Journal>> Open(const os::Path& file);
  virtual ~Journal() = default;

  // Queues a batch; `done` runs on the writer's thread once it is durable, or could not be made so.
  // Batches are committed in the order of the calls. Any thread.
  virtual void Write(std::vector<Op> batch, std::function<void(Status)> done) = 0;
  // Waits until everything queued so far is durable or failed. For shutdown and tests.
  virtual void Flush() = 0;

  // Reads see all that was durable when they began. One thread at a time.
  virtual Result<std::optional<Job>> FindJob(JobId id) = 0;  // with attempts
  virtual Result<std::optional<JobId>> FindKey(const std::string& key) = 0;
  virtual Result<std::vector<JobRow>> ListJobs(const JobFilter& filter) = 0;
  virtual Result<std::vector<Job>> UnfinishedJobs() = 0;     // by id, with attempts
  virtual Result<std::vector<EventRow>> Events(std::optional<JobId> job, int64_t after_seq, int limit) = 0;
  virtual Result<int64_t> LastEventSeq() = 0;
  virtual Result<JobId> NextJobId() = 0;  // above every id ever used, dropped ones included
};

}  // namespace muster::store
