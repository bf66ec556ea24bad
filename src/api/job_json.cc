#include "api/job_json.h"

#include <sys/stat.h>

#include <algorithm>

#include <fmt/format.h>

#include "api/series.h"

namespace muster::api {
namespace {

// The progress of rank 0, or of the first rank that reports; it is in the first node's series.
std::optional<json::object> LatestProgress(const Context& context, const Job& job) {
  const Attempt* attempt = job.current();
  if (attempt == nullptr) return std::nullopt;
  Series series(context.jobs.NodeDir(job.id, attempt->number, 0) / "series");
  bool more = false;
  const LatestValues latest = series.Read(more);
  if (latest.empty()) return std::nullopt;
  const auto& [rank, values] = *latest.begin();
  return ProgressJson(attempt->number, rank, values);
}

// When a rank last wrote to its log, as wall time; 0 before the first rank started. Of a large job
// the first ranks speak for all.
int64_t LastOutputMs(const Context& context, const Job& job) {
  constexpr size_t kMostLooks = 64;
  const Attempt* attempt = job.current();
  if (attempt == nullptr) return 0;
  int64_t latest = 0;
  for (size_t i = 0; i < attempt->ranks.size() && i < kMostLooks; ++i) {
    const RankInfo& rank = attempt->ranks[i];
    const os::Path log = context.jobs.NodeDir(job.id, attempt->number, rank.node) /
                         fmt::format("rank{}.log", rank.rank);
    struct stat info{};
    if (::stat(log.c_str(), &info) == 0)
      latest =
          std::max(latest, int64_t{info.st_mtim.tv_sec} * 1000 + info.st_mtim.tv_nsec / 1'000'000);
  }
  return latest;
}

// A job that repeats another one says so in its first event.
void AddOrigin(const Context& context, JobId id, json::object& object) {
  const auto events = context.parts.journal.Events(id, 0, 1);
  if (!events || events->empty()) return;
  const json::object& data = events->front().data;
  if (const json::value* origin = data.if_contains("derived_from"))
    object["derived_from"] = *origin;
  if (const json::value* changed = data.if_contains("parameters"))
    object["changed_parameters"] = *changed;
}

json::object FoldersJson(const Context& context, const Job& job) {
  const os::Path dir = context.parts.conductor.JobDir(job.id);
  const Attempt* attempt = job.current();
  const os::Path logs =
      attempt ? context.jobs.NodeDir(job.id, attempt->number, 0).parent_path() : os::Path();
  json::object outputs;
  for (const auto& [name, folder] : context.parts.conductor.OutputFolders(job))
    outputs[name] = folder;
  return {{"job", dir.string()}, {"logs", logs.string()}, {"outputs", std::move(outputs)}};
}

}  // namespace

json::object RowJson(const Context& context, const store::JobRow& row) {
  std::string reason = row.reason, progress;
  int64_t output_ms = 0;
  if (row.state == State::kQueued && reason.empty())
    reason = context.parts.conductor.WaitReason(row.id);
  if (row.state == State::kRunning) {
    if (const auto job = context.jobs.Find(row.id)) {
      if (const auto latest = LatestProgress(context, *job)) progress = GetString(*latest, "text");
      output_ms = LastOutputMs(context, *job);
    }
  }
  return {{"id", row.id},
          {"name", row.name},
          {"state", Name(row.state)},
          {"framework", row.framework},
          {"group", row.group},
          {"user", row.user},
          {"reason", std::move(reason)},
          {"nodes", row.nodes},
          {"ranks", row.ranks},
          {"devices", row.devices},
          {"priority", row.priority},
          {"created_ms", row.created_ms},
          {"started_ms", row.started_ms},
          {"ended_ms", row.ended_ms},
          {"attempts", row.attempts},
          {"progress", std::move(progress)},
          {"output_ms", output_ms}};
}

json::object JobJson(const Context& context, const Job& job) {
  json::object object = ToJsonObject(job);
  object["spec"] = ToJsonObject(job.spec);
  json::object verdict = context.parts.conductor.VerdictOf(job);
  object["verdict"] = verdict.empty() ? json::value(nullptr) : json::value(std::move(verdict));
  if (auto progress = LatestProgress(context, job)) object["progress"] = *std::move(progress);
  object["folders"] = FoldersJson(context, job);
  AddOrigin(context, job.id, object);
  return object;
}

}  // namespace muster::api
