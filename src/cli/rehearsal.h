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

// The job as it is rehearsed: same layout, commands and variables, but one thread a rank, results
// in the rehearsal's own folder, no second attempt, nothing to wait for, and a limit of time.
JobSpec RehearsalSpec(JobSpec spec, int64_t limit_ms);

// The virtual nodes that it needs, as `muster server --nodes` takes them: "2x8npu,1x1cpu".
std::string RehearsalNodes(const JobSpec& spec);

struct RehearsalGoal {
  int ranks = 1;
  int steps = 3;               // so many told in the log are enough
  int64_t settle_ms = 30'000;  // after the ranks have met: how long to wait for a first step
  int64_t limit_ms = 300'000;  // of all
};

// What a rehearsal has shown so far, and whether it is enough. Pure: times are given to it.
class Rehearsal {
 public:
  Rehearsal(RehearsalGoal goal, int64_t now_ms) : goal_(goal), began_ms_(now_ms) {}

  // Helpers beside the ranks (a scheduler) do not count.
  void RanksRun(int count) { started_ = std::max(started_, std::min(count, goal_.ranks)); }
  // Pairs of ranks between which a connection stands now.
  void RanksLinked(const std::vector<std::pair<int, int>>& links, int64_t now_ms);
  // Numbers that a rank told in its log.
  void RankTold(int rank, const json::object& values);

  // True when nothing more is to be learned: enough steps, or no step long after the ranks met, or
  // the time is over.
  bool Enough(int64_t now_ms) const;

  int started() const { return started_; }
  // The most ranks that connections joined into one group at once.
  int met() const { return met_; }
  bool AllMet() const { return met_ >= goal_.ranks; }
  int steps() const;  // of the rank that told most
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

// How the rehearsed job ended by itself; the defaults when it was stopped as it should be.
struct RehearsalEnd {
  bool failed = false;
  bool succeeded = false;
  std::string headline;  // of the failure: "rank 3 on node-1 exited with code 7"
  std::string evidence;  // the line of the log that shows it; may be empty
  std::string cause;     // its class, "missing_module"
  std::string advice;
};

struct RehearsalReport {
  Answer answer = Answer::kNotKnown;
  std::string headline;              // one sentence
  std::string next;                  // what to do; may be empty
  std::vector<std::string> seen;     // what was shown here
  std::vector<std::string> unknown;  // what only the cluster can show
};

// The answer to "will it start on the cluster?".
RehearsalReport JudgeRehearsal(const JobSpec& spec, const Rehearsal& rehearsal,
                               const RehearsalEnd& end);

std::string RehearsalText(const RehearsalReport& report);
json::object ToJsonObject(const RehearsalReport& report);

}  // namespace muster::cli
