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

// The known facts about a rank of an attempt.
struct RankInfo {
  int rank = 0;
  int node = 0;
  std::string role;
  int pid = 0;
  int64_t started_ms = 0;
  int64_t ended_ms = 0;
  std::optional<ExitReport> exit;
};

// The known facts about a node of an attempt, from its record.
struct NodeStatus {
  std::string name;
  int64_t record_offset = 0;  // processed bytes of the record
  bool began = false;
  // The final line was read, or the launcher was found dead and its processes were removed.
  bool ended = false;
  bool lost = false;
  std::optional<NodeClean> clean;
  std::vector<std::string> notes;
  std::string boot;          // the life of the machine in which its launcher began
  std::string unproven;      // why nothing proves that no process is left; empty: proven, or runs
  std::string confirmed_by;  // who said that nothing is left there
  std::string apart;  // why the ranks of the job do not form one world; empty: nothing shows that
};

// The first failure of an attempt.
struct Cause {
  int rank = -1;  // -1 if it is not a rank (staging, hook, launcher)
  int node = -1;
  std::string node_name;
  ExitReport exit;
  std::string
      what;  // "rank 3 on node-1 exited with code 7", "setup hook on node-0 exited with code 1"
};

// The state of the publication after all nodes have ended: a separate launcher copies outputs and
// logs, and another one continues after a kill.
struct PublishStatus {
  int tries = 0;
  std::string token;          // of the latest attempt to publish
  int64_t record_offset = 0;  // of the same launcher
  bool cut = false;           // a user requested not to wait for it
  bool over = false;
  std::string error;               // the reason of a failure; empty if there is none
  std::vector<std::string> notes;  // what was copied where, by the latest launcher
};

struct Attempt {
  int number = 1;
  std::string token;
  Allocation allocation;
  int64_t created_ms = 0;
  int64_t started_ms = 0;  // when all ranks execute
  int64_t ended_ms = 0;
  StoppedBy stopped_by = StoppedBy::kNobody;  // the first reason
  bool stop_asked = false;  // a user requested the end of the job, whatever stopped this attempt
  std::optional<Cause> cause;
  std::optional<ExitReport> exit;  // of the attempt as a whole, set at its end
  std::vector<NodeStatus> nodes;
  std::vector<RankInfo> ranks;
  std::optional<PublishStatus> publish;  // set when it begins
};

// A job as the server holds it until its terminal state, and as the journal stores it.
struct Job {
  JobId id = 0;
  JobSpec spec;
  State state = State::kQueued;
  std::string group;  // of a sweep; may be empty
  std::string key;    // idempotency key of the submit; may be empty
  std::string user;   // the submitting user, as reported by the client
  int64_t created_ms = 0;
  int64_t ended_ms = 0;
  std::string reason;  // one line: why the job waits, or how it ended; empty while it runs
  int used_retries = 0;
  std::vector<Attempt> attempts;  // oldest first
  Attempt* current() { return attempts.empty() ? nullptr : &attempts.back(); }
  const Attempt* current() const { return attempts.empty() ? nullptr : &attempts.back(); }
};

json::object ToJsonObject(const Attempt& attempt);
Attempt AttemptFromJson(const json::object& object);
// The stable form for `muster describe --json` and GET /jobs/{id}, without spec and verdict.
json::object ToJsonObject(const Job& job);

}  // namespace muster
