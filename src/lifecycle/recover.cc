#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "lifecycle/conductor_impl.h"

namespace muster::lifecycle {

Status Conductor::Impl::Recover() {
  MUSTER_TRY(os::MakeDirs(parts.data / "jobs", 0700));
  MUSTER_ASSIGN(next_id, parts.journal.NextJobId());
  MUSTER_ASSIGN(auto unfinished, parts.journal.UnfinishedJobs());
  EmptyTrash();
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
  if (entry.job.state == State::kQueued) return EnqueueOrWait(entry);
  const Attempt& attempt = *entry.job.current();
  const auto ref = RefOf(entry.job, attempt);
  parts.engine.ReservePorts(ref, attempt.allocation);
  const auto orders = Orders(entry.job, attempt);
  auto status = orders ? os::MakeDirs(ref.dir) : Status(std::unexpected(orders.error()));
  // A stop that was promised is asked again: the promise may be all that reached the disk. It goes
  // first, so that a node that never began does not begin now.
  if (status && attempt.stopped_by != StoppedBy::kNobody)
    status = parts.engine.Stop(ref, {.by = attempt.stopped_by, .detail = entry.job.reason});
  if (status) status = parts.engine.Recover(ref, attempt.nodes, *orders);
  if (!status) {
    LogError("job {}: {}", entry.job.id, status.error().text);
    const size_t nodes = attempt.nodes.size();
    for (size_t node = 0; node < nodes; ++node)
      if (Live* now = Current(ref))
        TakeLost(*now, int(node), "it could not be taken up again: " + status.error().text, {});
    return;
  }
  // All nodes may have ended before the crash, with only the job's own end missing.
  if (Live* now = Current(ref)) FinishIfOver(*now);
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
