#include <fmt/format.h>

#include "base/log.h"
#include "lifecycle/conductor_impl.h"

namespace muster::lifecycle {
namespace {
constexpr int64_t kRetryMs = 1000;
}  // namespace

void Conductor::Impl::Stop(JobId id, const std::string& who, std::optional<int64_t> grace_ms,
                           std::function<void(Result<State>)> done) {
  const auto found = jobs.find(id);
  if (found != jobs.end() && found->second.requeuing) {
    found->second.asked_meanwhile.push_back(
        [this, id, who, grace_ms, done = std::move(done)] { Stop(id, who, grace_ms, done); });
    return;
  }
  if (found == jobs.end() || found->second.finishing) {
    const auto job = Find(id);
    if (!job) return done(std::unexpected(job.error()));
    return done(Fail(Code::kConflict,
                     fmt::format("job {} has ended already: {}", id, Name(job->state)),
                     fmt::format("see 'muster describe {}'", id)));
  }
  Live& entry = found->second;
  const std::string reason = who.empty() ? "stopped by the user" : "stopped by " + who;
  if (entry.job.state == State::kQueued) return StopQueued(entry, reason, std::move(done));
  entry.stop_asked_by = who;
  entry.job.current()->stop_asked = true;
  const bool told = StopAttempt(entry, StoppedBy::kUser, reason, grace_ms);
  std::vector<store::Op> ops{store::PutJob{entry.job}};
  ops.push_back(store::PutAttempt{id, *entry.job.current()});
  ops.push_back(EventOp(entry, "stop_asked", {{"by", who}}));
  TryCommit(std::move(ops), [done, told](Status status) {
    if (!status && !told) return done(std::unexpected(status.error()));
    done(State::kStopping);
  });
}

// The job is stopped when that is durable; otherwise it keeps waiting.
void Conductor::Impl::StopQueued(Live& entry, const std::string& reason,
                                 std::function<void(Result<State>)> done) {
  TryCommit(EndOps(entry, Event::kStopAsked, reason),
            [this, id = entry.job.id, done = std::move(done)](Status status) {
              const auto found = jobs.find(id);
              if (status) {
                if (found != jobs.end()) Forget(id, State::kStopped);
                return done(State::kStopped);
              }
              if (found != jobs.end()) {
                found->second.finishing = false;
                found->second.ended.reset();
                EnqueueOrWait(found->second);
              }
              done(std::unexpected(status.error()));
            });
}

void Conductor::Impl::StopGroup(const std::string& group, const std::string& who,
                                std::function<void(Result<int>)> done) {
  std::vector<JobId> ids;
  for (const auto& [id, entry] : jobs)
    if (entry.job.group == group && (!entry.finishing || entry.requeuing)) ids.push_back(id);
  if (ids.empty()) {
    auto rows = parts.journal.ListJobs({.group = group, .limit = 1});
    if (!rows) return done(std::unexpected(rows.error()));
    if (rows->empty() || group.empty())
      return done(Fail(Code::kNotFound, fmt::format("no sweep \"{}\"", group),
                       "'muster ps -a' shows the group of every job"));
  }
  struct Answers {
    size_t open;
    Result<int> outcome;
  };
  auto answers = std::make_shared<Answers>(ids.size(), int(ids.size()));
  for (JobId id : ids) {
    Stop(id, who, std::nullopt, [answers, done](const Result<State>& state) {
      // A job that ended meanwhile needs no stop.
      if (!state && state.error().code != Code::kConflict)
        answers->outcome = std::unexpected(state.error());
      if (--answers->open == 0) done(answers->outcome);
    });
  }
  if (ids.empty()) done(0);
}

// The first reason of a stop is kept; a later one is only sent to the launchers.
bool Conductor::Impl::StopAttempt(Live& entry, StoppedBy by, const std::string& detail,
                                  std::optional<int64_t> grace_ms) {
  Attempt& attempt = *entry.job.current();
  const bool first = attempt.stopped_by == StoppedBy::kNobody;
  if (first) attempt.stopped_by = by;
  if (attempt.publish) attempt.publish->cut = true;
  const Event event = by == StoppedBy::kUser         ? Event::kStopAsked
                      : by == StoppedBy::kTimeLimit  ? Event::kTimeLimit
                      : by == StoppedBy::kPreemption ? Event::kPreempted
                                                     : Event::kRankFailed;
  std::vector<store::Op> ops;
  if (Move(entry, event, detail, ops)) {
    CommitMove(entry, std::move(ops));
  } else {
    FlushSoon(entry);
  }
  const ControlLine line{
      .by = by, .node = -1, .rank = -1, .detail = detail, .grace_ms = grace_ms.value_or(-1)};
  const auto ref = RefOf(entry.job, attempt);
  const auto status =
      parts.engine.Stop(attempt.publish ? PublishRef(entry.job, attempt) : ref, line);
  if (status) return true;
  if (IsRare("stop")) LogError("job {}: {}; trying again", entry.job.id, status.error().text);
  parts.loop.After(kRetryMs, [this, still = here, ref, line, grace_ms] {
    if (!*still) return;
    if (Live* now = Current(ref)) StopAttempt(*now, line.by, line.detail, grace_ms);
  });
  return false;
}

}  // namespace muster::lifecycle
