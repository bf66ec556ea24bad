#include "api/job_json.h"

#include "api/series.h"

namespace muster::api {
namespace {

// Rank 0's, or those of the first rank that has any; they stand in the first node's series.
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

json::object RowJson(const store::JobRow& row) {
  return {{"id", row.id},
          {"name", row.name},
          {"state", Name(row.state)},
          {"framework", row.framework},
          {"group", row.group},
          {"user", row.user},
          {"reason", row.reason},
          {"nodes", row.nodes},
          {"ranks", row.ranks},
          {"devices", row.devices},
          {"priority", row.priority},
          {"created_ms", row.created_ms},
          {"started_ms", row.started_ms},
          {"ended_ms", row.ended_ms},
          {"attempts", row.attempts}};
}

json::object JobJson(const Context& context, const Job& job) {
  json::object object = ToJsonObject(job);
  object["spec"] = ToJsonObject(job.spec);
  json::object verdict = context.parts.conductor.VerdictOf(job);
  object["verdict"] = verdict.empty() ? json::value(nullptr) : json::value(std::move(verdict));
  if (auto progress = LatestProgress(context, job)) object["progress"] = *std::move(progress);
  object["folders"] = FoldersJson(context, job);
  return object;
}

}  // namespace muster::api
