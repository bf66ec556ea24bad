#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "lifecycle/attempt_keys.h"
#include "lifecycle/conductor_impl.h"
#include "lifecycle/judge.h"
#include "model/source.h"
#include "os/reserve.h"

namespace muster::lifecycle {
namespace {

// A folder that is not there is no error.
Status MoveToTrash(const os::Path& from, const os::Path& trash, const os::Path& to) {
  MUSTER_TRY(os::MakeDirs(trash, 0700));
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (!error || error == std::errc::no_such_file_or_directory) return {};
  return FailErrno(error.value(), fmt::format("move {} to the trash", from.string()));
}

}  // namespace

void Conductor::Impl::FinishIfOver(Live& entry) {
  const Attempt& attempt = *entry.job.current();
  if (entry.finishing || !std::ranges::all_of(attempt.nodes, &NodeStatus::ended)) return;
  if (parts.keys != nullptr)
    parts.keys->TakeBack(entry.job, attempt, RefOf(entry.job, attempt).dir);
  if (!PublishFirst(entry)) EndAttempt(entry);
}

// All nodes are clean. Judges the attempt and journals its end; the job ends or waits for its next
// attempt.
void Conductor::Impl::EndAttempt(Live& entry) {
  Attempt& attempt = *entry.job.current();
  const auto ref = RefOf(entry.job, attempt);
  if (attempt.ended_ms == 0) attempt.ended_ms = Now();
  attempt.exit = OverallExit(attempt);
  const Outcome outcome = OutcomeOf(entry.job.spec, entry.job.used_retries, attempt);
  parts.engine.Release(ref);
  TidyAfter(entry);
  if (outcome.event != Event::kEndedRetry) {
    std::string reason;
    if (outcome.event == Event::kEndedBadly) {
      const json::object verdict = VerdictOf(entry.job);
      reason = GetString(verdict, "headline", Describe(*attempt.exit));
    } else if (outcome.event == Event::kEndedStopped) {
      reason =
          entry.stop_asked_by.empty() ? "stopped by the user" : "stopped by " + entry.stop_asked_by;
    }
    return EndJob(entry, outcome.event, reason);
  }
  entry.finishing = entry.requeuing = true;  // until the next attempt may start
  if (outcome.uses_retry) ++entry.job.used_retries;
  std::vector<store::Op> ops = WithUnsaid(entry, {});
  Move(entry, outcome.event,
       fmt::format("attempt {} {}; waiting for attempt {}, which {}", attempt.number,
                   Describe(*attempt.exit), attempt.number + 1,
                   entry.job.spec.on_retry == "fresh" ? "starts in a new working folder"
                                                      : "continues in its working folder"),
       ops);
  ops.push_back(store::PutJob{entry.job});
  ops.push_back(store::PutAttempt{entry.job.id, attempt});
  Commit(std::move(ops), [this, id = entry.job.id] {
    const auto found = jobs.find(id);
    if (found == jobs.end()) return;
    found->second.finishing = found->second.requeuing = false;
    const auto asked = std::exchange(found->second.asked_meanwhile, {});
    EnqueueOrWait(found->second);
    for (const auto& ask : asked) ask();
    ScheduleSoon();
  });
}

// Fetched inputs stay in the cache; links of the attempt would keep the disk space in use after an
// eviction.
void Conductor::Impl::GiveInputsBack(const Live& entry) const {
  const JobSpec& spec = entry.job.spec;
  if (!IsFar(spec.code) &&
      std::ranges::none_of(spec.inputs, [&](const auto& one) { return spec.IsFetched(one); }))
    return;
  if (!parts.stage_back) return;
  parts.pool.Run(
      [stage_back = parts.stage_back, dir = os::Path(RefOf(entry.job, *entry.job.current()).dir)] {
        if (const auto status = stage_back(dir); !status)
          LogWarning("inputs stay behind: {}", status.error().text);
      });
}

// Removes temporary files of killed processes. No process writes to the folders now: the launchers
// have ended, and the next attempt has not started.
void Conductor::Impl::TidyAfter(const Live& entry) const {
  const Attempt& attempt = *entry.job.current();
  GiveInputsBack(entry);
  os::KeepReserve(parts.data);  // a launcher may have given it up
  if (!entry.resumed && std::ranges::none_of(attempt.nodes, &NodeStatus::lost)) return;
  const os::Path dir = RefOf(entry.job, attempt).dir;
  os::RemoveTemporaries(JobDir(entry.job.id));
  os::RemoveTemporaries(dir);
  for (size_t node = 0; node < attempt.nodes.size(); ++node)
    os::RemoveTemporaries(dir / ("node" + std::to_string(node)));
}

// The end is visible only when it is durable; until then the job shows its previous state. Its
// devices are free immediately. While other jobs wait for devices, the write is delayed so that
// several ends share a sync and starts need not wait for the disk.
void Conductor::Impl::EndJob(Live& entry, Event event, const std::string& reason) {
  auto ops = EndOps(entry, event, reason);
  if (ops.empty()) return;
  const State state = Next(entry.job.state, event).next;
  Commit(
      std::move(ops), [this, id = entry.job.id, state] { Forget(id, state); },
      queue.empty() ? store::Sync::kNow : store::Sync::kSoon);
  ScheduleSoon();
}

// The operations that make the end durable; empty if the event does not end the job. Nothing else
// is written about the job afterwards.
std::vector<store::Op> Conductor::Impl::EndOps(Live& entry, Event event,
                                               const std::string& reason) {
  std::vector<store::Op> ops;
  if (entry.finishing) return ops;
  LeaveQueue(entry);
  Live ended = entry;
  if (!Move(ended, event, reason, ops)) return ops;
  ended.job.ended_ms = Now();
  entry.finishing = true;
  ops = WithUnsaid(entry, std::move(ops));  // a later write of an older state would undo the end
  ops.push_back(store::PutJob{ended.job});
  if (const auto* attempt = ended.job.current())
    ops.push_back(store::PutAttempt{ended.job.id, *attempt});
  entry.ended = std::move(ended.job);
  return ops;
}

void Conductor::Impl::Forget(JobId id, State state) {
  jobs.erase(id);
  placed.erase(id);
  ReleaseDependants(id, state);
  ScheduleSoon();
}

// The folder moves to the trash before the journal forgets the job and is emptied after, so that a
// crash in between leaves either a whole job or garbage that the next start removes. On a full disk
// the folder goes first: it may be what fills the disk.
void Conductor::Impl::Remove(JobId id, std::function<void(Status)> done) {
  if (jobs.contains(id)) {
    return done(Fail(Code::kConflict, fmt::format("job {} is not over", id),
                     fmt::format("stop it first: muster stop {}", id)));
  }
  const auto job = Find(id);
  if (!job) return done(std::unexpected(job.error()));
  const os::Path from = JobDir(id), trash = parts.data / "trash", to = trash / std::to_string(id);
  const auto moved = MoveToTrash(from, trash, to);
  if (!moved && moved.error().code == Code::kNoSpace) return RemoveFolderFirst(id, from, done);
  if (!moved) return done(moved);
  TryCommit({store::DropJob{id}}, [this, id, from, to, done](Status status) {
    if (!status && status.error().code == Code::kNoSpace) return RemoveFolderFirst(id, to, done);
    if (!status) {
      std::error_code ignored;
      std::filesystem::rename(to, from, ignored);
      return done(status);
    }
    parts.pool.Run([to] {
      if (auto removed = os::RemoveTree(to); !removed) LogWarning("{}", removed.error().text);
    });
    CollectCodeTwice();
    done({});
  });
}

void Conductor::Impl::RemoveFolderFirst(JobId id, const os::Path& folder,
                                        std::function<void(Status)> done) {
  parts.pool.Run([this, still = here, &loop = parts.loop, id, folder, done] {
    auto removed = os::RemoveTree(folder);
    loop.Post([this, still, id, done, removed] {
      if (!*still) return;
      if (!removed) return done(removed);
      TryCommit({store::DropJob{id}}, [this, done](const Status& status) {
        if (status) CollectCodeTwice();
        done(status);
      });
    });
  });
}

}  // namespace muster::lifecycle
