#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "lifecycle/attempt_keys.h"
#include "lifecycle/conductor_impl.h"
#include "os/reserve.h"

namespace muster::lifecycle {
namespace {
constexpr int64_t kRetryMs = 1000;
}  // namespace

Status Conductor::Impl::Recover() {
  MUSTER_TRY(os::MakeDirs(parts.data / "jobs", 0700));
  MUSTER_ASSIGN(next_id, parts.journal.NextJobId());
  MUSTER_ASSIGN(auto unfinished, parts.journal.UnfinishedJobs());
  EmptyTrash();
  os::KeepReserve(parts.data);
  CollectCode();
  std::vector<JobId> ids;
  for (Job& job : unfinished) {
    ids.push_back(job.id);
    jobs[job.id].job = std::move(job);
  }
  if (!ids.empty()) LogInfo("taking up {} unfinished jobs", ids.size());
  for (JobId id : ids)
    if (const auto found = jobs.find(id); found != jobs.end()) Resume(found->second);
  return {};
}

void Conductor::Impl::Resume(Live& entry) {
  entry.resumed = true;
  if (entry.job.state == State::kQueued) return EnqueueOrWait(entry);
  placed.insert(entry.job.id);
  const auto ref = RefOf(entry.job, *entry.job.current());
  parts.engine.ReservePorts(ref, entry.job.current()->allocation);
  if (const auto status = TakeUp(entry, ref); !status) {
    // The attempt may be running, so it must not be reported as ended. A full disk may get space.
    if (IsRare("resume"))
      LogError("job {}, and perhaps others, is taken up again later: {}", ref.job,
               status.error().text);
    parts.loop.After(kRetryMs, [this, still = here, ref] {
      if (!*still) return;
      if (Live* now = Current(ref)) Resume(*now);
    });
    return;
  }
  // All nodes may have ended before the crash.
  if (Live* now = Current(ref)) FinishIfOver(*now);
}

Status Conductor::Impl::TakeUp(Live& entry, const engines::AttemptRef& ref) {
  const Attempt& attempt = *entry.job.current();
  MUSTER_ASSIGN(const auto orders, Orders(entry.job, attempt));
  MUSTER_TRY(os::MakeDirs(ref.dir));
  if (parts.keys != nullptr) MUSTER_TRY(parts.keys->Give(entry.job, attempt, ref.dir));
  // Requests an acknowledged stop again, because only its journal entry may exist. It precedes the
  // start, so that a node that has not started does not start.
  if (attempt.stopped_by != StoppedBy::kNobody)
    MUSTER_TRY(parts.engine.Stop(ref, {.by = attempt.stopped_by, .detail = entry.job.reason}));
  return parts.engine.Recover(ref, attempt.nodes, orders);
}

void Conductor::Impl::EmptyTrash() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(parts.data / "trash", error)) {
    const auto id = ParseInt(entry.path().filename().string());
    if (id && parts.journal.FindJob(*id).value_or(std::nullopt)) {
      std::filesystem::rename(entry.path(), JobDir(*id), error);
    } else {
      parts.pool.Run([path = entry.path()] { (void)os::RemoveTree(path); });
    }
  }
}

}  // namespace muster::lifecycle
