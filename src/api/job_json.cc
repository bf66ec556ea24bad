#include "api/job_json.h"

#include <algorithm>

#include "api/series.h"
#include "http/client.h"

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

// file:///x%20y and file://host/x%20y name folders of this machine.
std::string PlainPath(std::string_view place) {
  constexpr std::string_view kScheme = "file://";
  if (!place.starts_with(kScheme)) return std::string(place);
  place.remove_prefix(std::min(place.find('/', kScheme.size()), place.size()));
  return http::UrlDecode(place).value_or(std::string(place));
}

// As the launch orders have it: the job's own folder for an output that names none, and no slash of
// its name leads out of there.
std::string OutputFolder(const os::Path& job_dir, std::string name, std::string_view place) {
  if (!place.empty()) return PlainPath(place);
  std::ranges::replace(name, '/', '_');
  return (job_dir / "outputs" / name).string();
}

json::object FoldersJson(const Context& context, const Job& job) {
  const os::Path dir = context.parts.conductor.JobDir(job.id);
  const Attempt* attempt = job.current();
  const os::Path logs =
      attempt ? context.jobs.NodeDir(job.id, attempt->number, 0).parent_path() : os::Path();
  json::object outputs;
  for (const auto& [name, folder] : job.spec.outputs)
    outputs[name] = OutputFolder(dir, name, folder);
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
