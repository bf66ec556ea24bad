#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "model/spec.h"

namespace muster::cli {

// The job for the rehearsal: same layout, commands and variables, but one thread per rank, results
// in the rehearsal's folder, no retry, no dependencies, and a time limit.
JobSpec RehearsalSpec(JobSpec spec, int64_t limit_ms);

// The virtual nodes for the job in the form of `muster server --nodes`: "2x8npu,1x1cpu".
std::string RehearsalNodes(const JobSpec& spec);

struct RehearsalGoal {
  int ranks = 1;
  int steps = 3;               // sufficient number of logged steps
  int64_t settle_ms = 30'000;  // wait for the first step after the ranks have connected
  int64_t limit_ms = 300'000;  // total time limit
};

// The observations of a rehearsal, and whether they are sufficient. Pure: times are arguments.
class Rehearsal {
 public:
  Rehearsal(RehearsalGoal goal, int64_t now_ms) : goal_(goal), began_ms_(now_ms) {}

  // Processes besides the ranks (a scheduler) do not count.
  void RanksRun(int count) { started_ = std::max(started_, std::min(count, goal_.ranks)); }
  // Pairs of ranks with a connection now.
  void RanksLinked(const std::vector<std::pair<int, int>>& links, int64_t now_ms);
  // Metrics in the log of a rank.
  void RankTold(int rank, const json::object& values);

  // True if the rehearsal may end: enough steps, no step long after the ranks connected, or the
  // time limit.
  bool Enough(int64_t now_ms) const;

  int started() const { return started_; }
  // The largest number of ranks that were connected in one group.
  int met() const { return met_; }
  bool AllMet() const { return met_ >= goal_.ranks; }
  int steps() const;  // of the rank with the most steps
  bool EnoughSteps() const { return steps() >= goal_.steps; }
  const RehearsalGoal& goal() const { return goal_; }

 private:
  struct Told {
    int events = 0;
    std::optional<double> first_step, last_step;
  };

  const RehearsalGoal goal_;
  const int64_t began_ms_;
  int started_ = 0;
  int met_ = 1;
  std::optional<int64_t> met_ms_;
  std::map<int, Told> told_;
};

enum class Answer { kYes, kNo, kNotKnown };
const char* Name(Answer answer);  // "yes", "no", "not known"
int ExitCodeOf(Answer answer);    // 0, 1, 3

// How the rehearsed job ended by itself; defaults if the rehearsal stopped it.
struct RehearsalEnd {
  bool failed = false;
  bool succeeded = false;
  std::string headline;  // of the failure: "rank 3 on node-1 exited with code 7"
  std::string evidence;  // the log line that shows it; may be empty
  std::string cause;     // its cause class, "missing_module"
  std::string advice;
};

struct RehearsalReport {
  Answer answer = Answer::kNotKnown;
  std::string headline;              // one sentence
  std::string next;                  // advice; may be empty
  std::vector<std::string> seen;     // observed facts
  std::vector<std::string> unknown;  // facts that only the cluster can show
};

// The answer to "will it start on the cluster?".
RehearsalReport JudgeRehearsal(const JobSpec& spec, const Rehearsal& rehearsal,
                               const RehearsalEnd& end);

std::string RehearsalText(const RehearsalReport& report);
json::object ToJsonObject(const RehearsalReport& report);

}  // namespace muster::cli
