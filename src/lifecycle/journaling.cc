#include <algorithm>
#include <iterator>

#include "base/log.h"
#include "lifecycle/conductor_impl.h"

namespace muster::lifecycle {
namespace {
constexpr int64_t kRetryMs = 1000;

// Whether a retry may succeed: a full disk may get space, but a row that the journal refuses is
// always refused.
bool MayPass(Code code) {
  return code == Code::kNoSpace || code == Code::kIo || code == Code::kUnavailable;
}

JobId JobOf(const store::Op& op) {
  if (const auto* put = std::get_if<store::PutJob>(&op)) return put->job.id;
  if (const auto* attempt = std::get_if<store::PutAttempt>(&op)) return attempt->job;
  if (const auto* event = std::get_if<store::AddEvent>(&op)) return event->job;
  if (const auto* spec = std::get_if<store::PutSpec>(&op)) return spec->job;
  return std::get<store::DropJob>(op).job;
}

std::set<JobId> JobsOf(const std::vector<store::Op>& ops) {
  std::set<JobId> jobs;
  for (const store::Op& op : ops) jobs.insert(JobOf(op));
  return jobs;
}

}  // namespace

bool Conductor::Impl::Move(Live& entry, Event event, const std::string& reason,
                           std::vector<store::Op>& ops) {
  const Transition cell = Next(entry.job.state, event);
  if (cell.kind == Transition::Kind::kRefuse) {
    LogError("job {}: event {} must not come in state {}", entry.job.id, Name(event),
             Name(entry.job.state));
  }
  if (cell.kind != Transition::Kind::kMove) return false;
  json::object data{
      {"from", Name(entry.job.state)}, {"to", Name(cell.next)}, {"event", Name(event)}};
  if (!reason.empty()) data["reason"] = reason;
  if (const auto* attempt = entry.job.current()) data["attempt"] = attempt->number;
  entry.job.state = cell.next;
  entry.job.reason = reason;
  ops.push_back(EventOp(entry, "state", std::move(data)));
  return true;
}

store::Op Conductor::Impl::EventOp(const Live& entry, std::string kind, json::object data) const {
  return store::AddEvent{entry.job.id, Now(), std::move(kind), std::move(data)};
}

// Writes a move together with the rows that it changed, so that a crash cannot leave a
// contradiction.
void Conductor::Impl::CommitMove(Live& entry, std::vector<store::Op> ops, store::Sync sync) {
  ops = WithUnsaid(entry, std::move(ops));
  ops.push_back(store::PutJob{entry.job});
  ops.push_back(store::PutAttempt{entry.job.id, *entry.job.current()});
  Commit(std::move(ops), nullptr, sync);
}

// The ops that have yet to be journaled, with `ops` behind them.
std::vector<store::Op> Conductor::Impl::WithUnsaid(Live& entry, std::vector<store::Op> ops) {
  entry.flush_due = false;
  std::vector<store::Op> all = std::exchange(entry.unsaid, {});
  std::ranges::move(ops, std::back_inserter(all));
  return all;
}

void Conductor::Impl::TryCommit(std::vector<store::Op> ops, std::function<void(Status)> then,
                                store::Sync sync) {
  auto changed = std::make_shared<const std::set<JobId>>(JobsOf(ops));
  parts.journal.Write(
      std::move(ops), sync,
      [this, still = here, &loop = parts.loop, then = std::move(then), changed](Status status) {
        loop.Post([this, still, then, changed, status = std::move(status)] {
          if (!*still) return;
          const bool durable = status.has_value();
          if (then) then(status);
          if (durable) watchers.Tell(*changed);
        });
      });
}

void Conductor::Impl::Commit(std::vector<store::Op> ops, std::function<void()> then,
                             store::Sync sync) {
  // The copy is for the retry only; usually it has a few small rows.
  auto kept = std::make_shared<std::vector<store::Op>>(ops);
  const auto told = [this, kept, then = std::move(then)](Status status) {
    if (!status && MayPass(status.error().code)) {
      // Never delayed: current rows may include an end that waits for its sync.
      parts.loop.After(kRetryMs, [this, still = here, kept, then] {
        if (*still) Commit(Refreshed(std::move(*kept)), then, store::Sync::kNow);
      });
      return;
    }
    if (!status) LogError("the journal refused a write: {}", status.error().text);
    if (then) then();
  };
  TryCommit(std::move(ops), told, sync);
}

// A delayed batch must not overwrite later changes: its rows are replaced by current ones, for an
// ending job by those of its end, and omitted for a job whose end is durable.
std::vector<store::Op> Conductor::Impl::Refreshed(std::vector<store::Op> ops) const {
  const auto now = [&](JobId id) -> const Job* {
    const auto found = jobs.find(id);
    if (found == jobs.end()) return nullptr;
    return found->second.ended ? &*found->second.ended : &found->second.job;
  };
  std::vector<store::Op> fresh;
  for (store::Op& op : ops) {
    if (auto* job = std::get_if<store::PutJob>(&op)) {
      const Job* current = now(job->job.id);
      if (current == nullptr) continue;
      job->job = *current;
    } else if (auto* put = std::get_if<store::PutAttempt>(&op)) {
      const Job* current = now(put->job);
      if (current == nullptr) continue;
      for (const Attempt& attempt : current->attempts)
        if (attempt.number == put->attempt.number) put->attempt = attempt;
    }
    fresh.push_back(std::move(op));
  }
  return fresh;
}

// Record lines arrive in bursts (sixteen ranks start together); one write covers them all.
void Conductor::Impl::FlushSoon(Live& entry) {
  if (std::exchange(entry.flush_due, true)) return;
  parts.loop.Post([this, still = here, id = entry.job.id] {
    if (!*still) return;
    const auto found = jobs.find(id);
    if (found == jobs.end() || !found->second.flush_due) return;
    if (found->second.job.current() != nullptr) CommitMove(found->second, {}, store::Sync::kLazy);
  });
}

engines::AttemptRef Conductor::Impl::RefOf(const Job& job, const Attempt& attempt) const {
  return {job.id, attempt.number, attempt.token,
          JobDir(job.id) / "attempts" / std::to_string(attempt.number)};
}

}  // namespace muster::lifecycle
