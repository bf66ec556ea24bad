#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/screen.h"
#include "model/job.h"
#include "model/spec.h"

namespace muster::cli {

// The parts of a verdict that the response contains.
struct VerdictView {
  std::string headline;               // "rank 3 on node-1 exited with code 7"
  std::string cause;                  // its cause class, "missing_module"
  int rank = -1;                      // the blamed rank; -1 if there is none
  std::vector<std::string> evidence;  // lines of the log
  std::string advice;                 // advice in one sentence
};

// The response of GET /jobs/{id}; missing members keep their defaults.
struct JobView {
  JobId id = 0;
  std::string name, state, framework, group, user, reason;
  int64_t created_ms = 0, ended_ms = 0;
  int priority = 0;
  std::optional<JobSpec> spec;  // nothing if this client cannot parse it
  std::vector<Attempt> attempts;
  std::string origin;    // "job 17 with lr=0.1"; empty: submitted by itself
  std::string progress;  // "epoch 2/3 · loss 0.25"
  Pairs progress_values;
  std::optional<VerdictView> verdict;
  std::string folder, logs;
  Pairs outputs;

  const Attempt* last() const { return attempts.empty() ? nullptr : &attempts.back(); }
  bool IsOver() const;
  // Whether it waits for a user to confirm that nothing of it is left on some node.
  bool IsUnproven() const;
  // The blamed rank, which need not be the first one to end. -1 if the job did not fail, or not
  // because of a rank.
  int FailingRank() const;
  // The evidence of the verdict, unless the log lines `shown` end with it.
  std::vector<std::string> EvidenceBeside(const std::vector<std::string>& shown) const;
  // The publications and their failures; safe to print.
  std::vector<std::string> PublishNotes() const;
  // The number of ranks; 1 if unknown.
  int Ranks() const;
};

JobView ReadJob(const json::object& job);

// The colour of a state.
Paint StatePaint(std::string_view state);

// "17" as an id; kInvalid says which verb lists ids.
Result<JobId> ParseJobId(std::string_view word);
Result<std::vector<JobId>> ParseJobIds(const std::vector<std::string>& words);

// The line that describes the state or end of a job: "job 17 failed: rank 3 …".
std::string Headline(const JobView& job);

}  // namespace muster::cli
