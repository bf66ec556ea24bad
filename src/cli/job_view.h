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

// What a verdict on a failed job tells, as far as there is one.
struct VerdictView {
  std::string headline;               // "rank 3 on node-1 exited with code 7"
  std::string cause;                  // its class, "missing_module"
  int rank = -1;                      // to blame; -1 when it is none
  std::vector<std::string> evidence;  // lines of the log
  std::string advice;                 // what to do, one sentence
};

// The answer of GET /jobs/{id}, read with care: a missing member leaves its default.
struct JobView {
  JobId id = 0;
  std::string name, state, framework, group, user, reason;
  int64_t created_ms = 0, ended_ms = 0;
  int priority = 0;
  std::optional<JobSpec> spec;  // empty when this client cannot read it
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
  // The rank to blame, which need not be the one that ended first. -1 when the job did not fail, or
  // not by a rank.
  int FailingRank() const;
  // The verdict's evidence, unless `shown`, which are lines of a log, end in it already.
  std::vector<std::string> EvidenceBeside(const std::vector<std::string>& shown) const;
  // What was taken to buckets and folders, and what could not be; safe to print.
  std::vector<std::string> PublishNotes() const;
  // Ranks that it has or will have; 1 when unknown.
  int Ranks() const;
};

JobView ReadJob(const json::object& job);

// "queued" and the others in their colours.
Paint StatePaint(std::string_view state);

// "17" as an id; kInvalid says where ids are listed.
Result<JobId> ParseJobId(std::string_view word);
Result<std::vector<JobId>> ParseJobIds(const std::vector<std::string>& words);

// The one line that says how the job stands or ended: "job 17 failed: rank 3 …".
std::string Headline(const JobView& job);

}  // namespace muster::cli
