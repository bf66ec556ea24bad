#include <fmt/format.h>

#include "base/log.h"
#include "lifecycle/conductor_impl.h"

namespace muster::lifecycle {

void Conductor::Impl::Stop(JobId id, const std::string& who, std::optional<int64_t> grace_ms,
                           std::function<void(Result<State>)> done) {
  const auto found = jobs.find(id);
  if (found == jobs.end() || found->second.finishing) {
    const auto job = Find(id);
    if (!job) return done(std::unexpected(job.error()));
    return done(Fail(Code::kConflict,
                     fmt::format("job {} has ended already: {}", id, Name(job->state)),
                     fmt::format("see 'muster describe {}'", id)));
  }
  Live& entry = found->second;
  const std::string reason = who.empty() ? "stopped by the user" : "stopped by " + who;
  if (entry.job.state == State::kQueued) {
    LeaveQueue(entry);
    EndJob(entry, Event::kStopAsked, reason);
    // The end of a queued job is durable within the same write.
    return TryCommit({}, [done](Status) { done(State::kStopped); });
  }
  entry.stop_asked_by = who;
  StopAttempt(entry, StoppedBy::kUser, reason, grace_ms);
  std::vector<store::Op> ops{store::PutJob{entry.job}};
  ops.push_back(store::PutAttempt{id, *entry.job.current()});
  ops.push_back(EventOp(entry, "stop_asked", {{"by", who}}));
  TryCommit(std::move(ops), [done](Status status) {
    if (!status) return done(std::unexpected(status.error()));
    done(State::kStopping);
  });
}

void Conductor::Impl::StopGroup(const std::string& group, const std::string& who,
                                std::function<void(Result<int>)> done) {
  std::vector<JobId> ids;
  for (const auto& [id, entry] : jobs)
    if (entry.job.group == group && !entry.finishing) ids.push_back(id);
  if (ids.empty()) {
    auto rows = parts.journal.ListJobs({.group = group, .limit = 1});
    if (!rows) return done(std::unexpected(rows.error()));
    if (rows->empty() || group.empty())
      return done(Fail(Code::kNotFound, fmt::format("no sweep \"{}\"", group),
                       "'muster ps -a' shows the group of every job"));
  }
  for (JobId id : ids) Stop(id, who, std::nullopt, [](Result<State>) {});
  TryCommit({}, [done, count = int(ids.size())](Status status) {
    if (!status) return done(std::unexpected(status.error()));
    done(count);
  });
}

// The first reason to stop is the one that is kept; a later one only reaches the launchers.
void Conductor::Impl::StopAttempt(Live& entry, StoppedBy by, const std::string& detail,
                                  std::optional<int64_t> grace_ms) {
  Attempt& attempt = *entry.job.current();
  const bool first = attempt.stopped_by == StoppedBy::kNobody;
  if (first) attempt.stopped_by = by;
  const Event event = by == StoppedBy::kUser         ? Event::kStopAsked
                      : by == StoppedBy::kTimeLimit  ? Event::kTimeLimit
                      : by == StoppedBy::kPreemption ? Event::kPreempted
                                                     : Event::kRankFailed;
  std::vector<store::Op> ops;
  if (Move(entry, event, detail, ops)) Commit(std::move(ops));
  FlushSoon(entry);
  const ControlLine line{
      .by = by, .node = -1, .rank = -1, .detail = detail, .grace_ms = grace_ms.value_or(-1)};
  if (auto status = parts.engine.Stop(RefOf(entry.job, attempt), line); !status) {
    LogError("job {}: {}; trying again", entry.job.id, status.error().text);
    parts.loop.After(1000, [this, still = here, ref = RefOf(entry.job, attempt), line] {
      if (!*still) return;
      if (Live* now = Current(ref)) StopAttempt(*now, line.by, line.detail, std::nullopt);
    });
  }
}

}  // namespace muster::lifecycle
