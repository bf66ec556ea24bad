#include <algorithm>

#include <fmt/format.h>

#include "lifecycle/conductor_impl.h"

namespace muster::lifecycle {
namespace {

bool Before(const scheduler::Waiting& a, const scheduler::Waiting& b) {
  return a.priority != b.priority ? a.priority > b.priority : a.id < b.id;
}

}  // namespace

void Conductor::Impl::EnqueueOrWait(Live& entry) {
  entry.waits_for.clear();
  for (const AfterJob& after : entry.job.spec.after) {
    const auto upstream = Find(after.job);
    if (upstream && !IsTerminal(upstream->state)) {
      entry.waits_for.insert(after.job);
      dependants[after.job].insert(entry.job.id);
    } else if (after.when == "succeeded" && (!upstream || upstream->state != State::kSucceeded)) {
      return EndJob(entry, Event::kUpstreamFailed,
                    fmt::format("job {}, which it waits for, did not succeed", after.job));
    }
  }
  if (!entry.waits_for.empty() || entry.queued || entry.updating || IsHeld(entry.job)) return;
  entry.queued = true;
  const JobSpec& spec = entry.job.spec;
  scheduler::Waiting waiting{entry.job.id, spec.priority, scheduler::DemandOf(spec), std::nullopt};
  // Including the grace period: the longest time for which it holds its devices.
  if (spec.time_limit_ms) waiting.limit_ms = *spec.time_limit_ms + spec.grace_ms;
  queue.insert(std::upper_bound(queue.begin(), queue.end(), waiting, Before), std::move(waiting));
  ScheduleSoon();
}

void Conductor::Impl::LeaveQueue(Live& entry) {
  if (!std::exchange(entry.queued, false)) return;
  scheduler::Waiting key;
  key.id = entry.job.id;
  key.priority = entry.job.spec.priority;
  const auto at = std::lower_bound(queue.begin(), queue.end(), key, Before);
  if (at != queue.end() && at->id == key.id) queue.erase(at);
}

void Conductor::Impl::ScheduleSoon() {
  if (std::exchange(schedule_due, true)) return;
  parts.loop.Post([this, still = here] {
    if (!*still) return;
    schedule_due = false;
    Schedule();
  });
}

void Conductor::Impl::Schedule() {
  wait_reasons.reset();
  if (queue.empty()) return;
  const scheduler::Decision decision = scheduler::Decide(ClusterNow(), queue, Now());
  for (const auto& start : decision.start)
    if (const auto found = jobs.find(start.id); found != jobs.end())
      BeginAttempt(found->second, start.allocation);
  for (JobId id : decision.preempt)
    if (const auto found = jobs.find(id); found != jobs.end())
      StopAttempt(found->second, StoppedBy::kPreemption,
                  "a job of higher priority needs its devices", std::nullopt);
}

scheduler::Cluster Conductor::Impl::ClusterNow() const {
  scheduler::Cluster cluster{parts.engine.Nodes(), {}};
  for (const JobId id : placed) {  // avoids a search of a queue with thousands of jobs per start
    const Live& entry = jobs.at(id);
    const State state = entry.job.state;
    // A job whose end waits for its sync holds nothing: all its nodes are clean.
    if (state == State::kQueued || IsTerminal(state) || entry.ended) continue;
    const Attempt& attempt = *entry.job.current();
    if (attempt.publish) continue;  // its nodes are clean: it holds nothing
    scheduler::Holding holding;
    holding.id = id;
    holding.priority = entry.job.spec.priority;
    holding.preemptible = entry.job.spec.preemptible;
    holding.stopping = state == State::kStopping;
    holding.started_ms = attempt.created_ms;
    holding.allocation = attempt.allocation;
    holding.memory = entry.job.spec.memory.value_or(0);
    if (const auto& limit = entry.job.spec.time_limit_ms) {
      const int64_t from = attempt.started_ms != 0 ? attempt.started_ms : attempt.created_ms;
      holding.until_ms = from + *limit + entry.job.spec.grace_ms;
    }
    cluster.running.push_back(std::move(holding));
  }
  return cluster;
}

void Conductor::Impl::ReleaseDependants(JobId ended, State state) {
  std::vector<JobId> ready, orphaned;
  const auto waiting = dependants.extract(ended);
  if (waiting.empty()) return;
  for (const JobId id : waiting.mapped()) {
    const auto found = jobs.find(id);
    if (found == jobs.end() || found->second.waits_for.erase(ended) == 0) continue;
    for (const AfterJob& after : found->second.job.spec.after)
      if (after.job == ended && after.when == "succeeded" && state != State::kSucceeded)
        orphaned.push_back(id);
    if (found->second.waits_for.empty()) ready.push_back(id);
  }
  for (JobId id : orphaned)
    EndJob(jobs.at(id), Event::kUpstreamFailed,
           fmt::format("job {}, which it waits for, has {}", ended, Name(state)));
  for (JobId id : ready)
    if (const auto found = jobs.find(id); found != jobs.end() && !found->second.finishing)
      EnqueueOrWait(found->second);
}

}  // namespace muster::lifecycle
