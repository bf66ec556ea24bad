#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/allocation.h"
#include "model/exit_report.h"
#include "model/record.h"
#include "model/spec.h"
#include "model/states.h"

namespace muster {

// What is known of one rank of one attempt.
struct RankInfo {
  int rank = 0;
  int node = 0;
  std::string role;
  int pid = 0;
  int64_t started_ms = 0;
  int64_t ended_ms = 0;
  std::optional<ExitReport> exit;
};

// What is known of one node of one attempt, learned from its record.
struct NodeStatus {
  std::string name;
  int64_t record_offset = 0;  // how far the record was taken in
  bool began = false;
  bool ended = false;  // the launcher said its last word, or was found dead and swept
  bool lost = false;
  std::optional<NodeClean> clean;
  std::vector<std::string> notes;
  std::string boot;          // the life of the machine in which its launcher began
  std::string unproven;      // why nothing proves that no process is left; empty: proven, or runs
  std::string confirmed_by;  // who said that nothing is left there
  std::string apart;  // why the ranks of the job do not form one world; empty: nothing shows that
};

// The first failure of an attempt: the cause, not the fallout.
struct Cause {
  int rank = -1;  // -1: not a rank (staging, hook, launcher)
  int node = -1;
  std::string node_name;
  ExitReport exit;
  std::string
      what;  // "rank 3 on node-1 exited with code 7", "setup hook on node-0 exited with code 1"
};

// How outputs and logs are taken to their places after all nodes have ended: by a launcher of its
// own, and by another one when that is killed.
struct PublishStatus {
  int tries = 0;
  std::string token;          // of the latest try
  int64_t record_offset = 0;  // of the same
  bool cut = false;           // a user does not want to wait for it
  bool over = false;
  std::string error;               // why it cannot be done; empty: nothing is wrong so far
  std::vector<std::string> notes;  // what was taken where, by the latest try
};

struct Attempt {
  int number = 1;
  std::string token;
  Allocation allocation;
  int64_t created_ms = 0;
  int64_t started_ms = 0;  // every rank executes
  int64_t ended_ms = 0;
  StoppedBy stopped_by = StoppedBy::kNobody;  // the first who did
  bool stop_asked = false;  // a user wants the job to end, whoever stopped this attempt
  std::optional<Cause> cause;
  std::optional<ExitReport> exit;  // of the attempt as a whole, once it ended
  std::vector<NodeStatus> nodes;
  std::vector<RankInfo> ranks;
  std::optional<PublishStatus> publish;  // once it began
};

// A job as the server holds it while it is not terminal, and as the journal keeps it for good.
struct Job {
  JobId id = 0;
  JobSpec spec;
  State state = State::kQueued;
  std::string group;  // of a sweep; empty
  std::string key;    // idempotency key of its submit; empty
  std::string user;   // who submitted, as the client said
  int64_t created_ms = 0;
  int64_t ended_ms = 0;
  std::string reason;  // one line: why it waits, or how it ended; empty while it runs
  int used_retries = 0;
  std::vector<Attempt> attempts;  // oldest first
  Attempt* current() { return attempts.empty() ? nullptr : &attempts.back(); }
  const Attempt* current() const { return attempts.empty() ? nullptr : &attempts.back(); }
};

json::object ToJsonObject(const Attempt& attempt);
Attempt AttemptFromJson(const json::object& object);
// The form pinned for `muster describe --json` and GET /jobs/{id}; without spec or verdict.
json::object ToJsonObject(const Job& job);

}  // namespace muster
