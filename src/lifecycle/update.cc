#include <fmt/format.h>

#include "base/text.h"
#include "lifecycle/conductor_impl.h"

namespace muster::lifecycle {
namespace {

// A held job is a queued one with this reason; the journal keeps it.
constexpr std::string_view kHeld = "held by ";

void Apply(const JobChange& change, const std::string& who, Job& job) {
  if (change.priority) job.spec.priority = *change.priority;
  if (change.time_limit_ms) {
    job.spec.time_limit_ms.reset();
    if (*change.time_limit_ms > 0) job.spec.time_limit_ms = *change.time_limit_ms;
  }
  if (!change.held) return;
  job.reason.clear();
  if (*change.held)
    job.reason = fmt::format("{}{}; muster release {} lets it start", kHeld,
                             who.empty() ? "the user" : who, job.id);
}

json::object EventData(const JobChange& change, const std::string& who) {
  json::object data{{"by", who}};
  if (change.priority) data["priority"] = *change.priority;
  if (change.time_limit_ms)
    data["time_limit"] = *change.time_limit_ms > 0 ? HumanDuration(*change.time_limit_ms) : "none";
  if (change.held) data["held"] = *change.held;
  return data;
}

}  // namespace

bool IsHeld(const Job& job) { return job.state == State::kQueued && job.reason.starts_with(kHeld); }

// The job has its old values until the new ones are on disk. Meanwhile it does not start.
void Conductor::Impl::Update(JobId id, const JobChange& change, const std::string& who,
                             std::function<void(Result<State>)> done) {
  const auto found = jobs.find(id);
  const bool queued = found != jobs.end() && found->second.job.state == State::kQueued &&
                      !found->second.finishing && !found->second.requeuing;
  if (!queued) {
    const auto job = Find(id);
    if (!job) return done(std::unexpected(job.error()));
    return done(
        Fail(Code::kConflict,
             fmt::format("job {} is {}: only queued jobs can be changed", id, Name(job->state)),
             fmt::format("'muster rerun {}' starts it again with other values", id)));
  }
  Live& entry = found->second;
  if (entry.updating)
    return done(
        Fail(Code::kConflict, fmt::format("job {} is just being changed", id), "try again"));
  LeaveQueue(entry);
  entry.updating = true;
  Job changed = entry.job;
  Apply(change, who, changed);
  std::vector<store::Op> ops{store::PutJob{changed}, store::PutSpec{id, changed.spec}};
  ops.push_back(EventOp(entry, "updated", EventData(change, who)));
  TryCommit(std::move(ops), [this, id, changed = std::move(changed),
                             done = std::move(done)](const Status& status) {
    const auto now = jobs.find(id);
    if (now == jobs.end() || now->second.finishing) {
      return done(status ? Result<State>(changed.state) : std::unexpected(status.error()));
    }
    now->second.updating = false;
    if (status) {
      now->second.job.spec = changed.spec;
      now->second.job.reason = changed.reason;
    }
    EnqueueOrWait(now->second);
    done(status ? Result<State>(State::kQueued) : std::unexpected(status.error()));
  });
}

}  // namespace muster::lifecycle
