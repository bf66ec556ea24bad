#include <fmt/format.h>

#include "base/log.h"
#include "dialect/plan.h"
#include "dialect/staging.h"
#include "lifecycle/attempt_keys.h"
#include "lifecycle/conductor_impl.h"
#include "model/source.h"

namespace muster::lifecycle {
namespace {
constexpr int64_t kPortRetryMs = 1000;
constexpr int64_t kRoomRetryMs = 1000;
constexpr int kTokenBytes = 16;

bool HasRecord(const os::Path& attempt_dir) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(attempt_dir, error), end; !error && it != end;
       it.increment(error))
    if (std::filesystem::exists(it->path() / "record", error)) return true;
  return false;
}

// The sync of an attempt's start is shared with the next write: after a power cut, which ends its
// ranks, the journal may lack the attempt while its folder exists. Renames that folder, because the
// number is used again.
Status SetForgottenAside(const os::Path& attempt_dir) {
  if (!HasRecord(attempt_dir)) return {};
  const std::string aside = fmt::format("{}.forgotten-{}", attempt_dir.string(), os::RandomHex(4));
  LogWarning("{} is of an attempt that the journal does not know; it is kept as {}",
             attempt_dir.string(), aside);
  std::error_code error;
  std::filesystem::rename(attempt_dir, aside, error);
  if (error) return FailErrno(error.value(), "set aside " + attempt_dir.string());
  return {};
}

}  // namespace

void Conductor::Impl::BeginAttempt(Live& entry, Allocation allocation) {
  Attempt attempt;
  attempt.number = int(entry.job.attempts.size()) + 1;
  attempt.token = os::RandomHex(kTokenBytes);
  attempt.created_ms = Now();
  const auto ref = RefOf(entry.job, attempt);
  if (auto status = ReservePorts(ref, entry.job.spec, allocation); !status) {
    parts.engine.Release(ref);
    if (IsRare("ports")) LogWarning("job {} waits: {}", entry.job.id, status.error().text);
    entry.job.reason = status.error().text;
    parts.loop.After(kPortRetryMs, [this, still = here] {
      if (*still) ScheduleSoon();
    });
    return;
  }
  attempt.allocation = std::move(allocation);
  const auto orders = Orders(entry.job, attempt);
  LeaveQueue(entry);
  if (!orders) {
    parts.engine.Release(ref);
    return FailBeforeStart(entry, orders.error());
  }
  for (const NodeOrder& order : *orders) {
    attempt.nodes.push_back({.name = order.node_name});
    for (const RankOrder& rank : order.ranks)
      attempt.ranks.push_back({.rank = rank.rank, .node = order.node, .role = rank.role});
  }
  entry.job.attempts.push_back(std::move(attempt));
  placed.insert(entry.job.id);
  std::vector<store::Op> ops;
  Move(entry, Event::kPlaced, "", ops);
  ops.push_back(store::PutJob{entry.job});
  ops.push_back(store::PutAttempt{entry.job.id, *entry.job.current()});
  // Journaled first: after a crash the attempt is resumed and never started twice.
  const auto begin = [this, ref, orders = *orders] {
    if (const auto status = SetForgottenAside(ref.dir); !status)
      LogError("job {}: {}", ref.job, status.error().text);
    StartNodes(ref, orders);
  };
  Commit(std::move(ops), begin, store::Sync::kLazy);
}

void Conductor::Impl::StartNodes(const engines::AttemptRef& ref,
                                 const std::vector<NodeOrder>& orders) {
  Live* entry = Current(ref);
  if (entry == nullptr) return;
  const StoppedBy stopped_by = entry->job.current()->stopped_by;
  const std::string spec = ToPrettyJson(ToJsonObject(entry->job.spec));
  auto status = os::MakeDirs(ref.dir);
  if (status) status = os::WriteNewFile(JobDir(ref.job) / "spec.json", spec, 0600);
  if (status && parts.keys != nullptr)
    status = parts.keys->Give(entry->job, *entry->job.current(), ref.dir);
  // A stop that arrived while the disk was full precedes the start.
  if (status && stopped_by != StoppedBy::kNobody)
    status = parts.engine.Stop(ref, {.by = stopped_by, .detail = entry->job.reason});
  if (status) status = parts.engine.Start(ref, orders);
  if (status) return;
  if (status.error().code != Code::kNoSpace) {
    for (const NodeOrder& order : orders)
      if (Live* now = Current(ref))
        TakeLost(*now, order.node, "it could not be started: " + status.error().text, {},
                 ExitClass::kCouldNotStart);
    return;
  }
  // A full disk must not fail the job: the whole queue would fail within seconds.
  if (IsRare("start"))
    LogWarning("job {}, and perhaps others, waits for room to start: {}", ref.job,
               status.error().text);
  if (stopped_by == StoppedBy::kNobody)
    entry->job.reason = "waits to start: " + status.error().text;
  parts.loop.After(kRoomRetryMs, [this, still = here, ref, orders] {
    if (*still) StartNodes(ref, orders);
  });
}

Status Conductor::Impl::ReservePorts(const engines::AttemptRef& ref, const JobSpec& spec,
                                     Allocation& allocation) {
  const int count = dialect::PortsPerNode(spec);
  for (NodeShare& share : allocation.nodes) {
    if (count == 0) continue;
    MUSTER_ASSIGN(share.ports, parts.engine.ReservePorts(ref, share.node, count));
  }
  const int common = dialect::CommonPorts(spec);
  if (common == 0) return {};
  std::vector<std::string> nodes;
  for (const NodeShare& share : allocation.nodes) nodes.push_back(share.node);
  MUSTER_ASSIGN(allocation.common_ports, parts.engine.ReserveCommonPorts(ref, nodes, common));
  return {};
}

dialect::Places Conductor::Impl::PlacesOf(const Job& job, const Attempt& attempt) const {
  dialect::Places places;
  places.job = job.id;
  places.attempt = attempt.number;
  places.token = attempt.token;
  places.job_dir = JobDir(job.id);
  places.attempt_dir = RefOf(job, attempt).dir;
  if (!job.spec.code_hash.empty()) {
    places.code_dir = parts.code.TreeDir(job.spec.code_hash);
  } else if (IsFar(job.spec.code)) {
    places.code_dir = dialect::FetchedCode(places);
  }
  places.data_dir = parts.data;
  places.cache_limit = parts.input_cache;
  places.muster = parts.self;
  return places;
}

Result<std::vector<NodeOrder>> Conductor::Impl::Orders(const Job& job,
                                                       const Attempt& attempt) const {
  return dialect::Plan(job.spec, attempt.allocation, PlacesOf(job, attempt));
}

void Conductor::Impl::FailBeforeStart(Live& entry, const Error& error) {
  EndJob(entry, Event::kEndedBadly, "could not start: " + error.text);
}

}  // namespace muster::lifecycle
