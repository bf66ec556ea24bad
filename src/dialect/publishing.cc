#include "dialect/publishing.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "dialect/command.h"
#include "dialect/environment.h"
#include "dialect/modelarts.h"

namespace muster::dialect {

namespace {

// The role of a node and its index in the role; roles are in order.
std::pair<std::string, int> TaskOf(const JobSpec& spec, int node) {
  for (const Role& role : spec.roles) {
    if (node < role.nodes) return {role.name, node};
    node -= role.nodes;
  }
  return {Role{}.name, node};
}

// Ranks of the job file; a framework may have added services.
bool IsOfJob(const JobSpec& spec, const RankOrder& process) {
  return std::ranges::find(spec.roles, process.role, &Role::name) != spec.roles.end();
}

Publication Begun(const JobSpec& spec, const Places& places) {
  return {.job = places.job,
          .attempt = places.attempt,
          .job_name = spec.name,
          .state = {},
          .data_dir = places.data_dir,
          .record_dir = places.attempt_dir + "/publish/records",
          .outputs = {},
          .logs_to = PlainPath(WithJobId(spec.logs, places.job)),
          .logs = {}};
}

OutputOrder OrderOf(const Publishing& output, const Places& places) {
  return {output.name, OutputFolder({output.name, ""}, places),
          PlainPath(WithJobId(output.to, places.job)), output.sync_ms, output.overwrite};
}

void AddLogs(const JobSpec& spec, const NodeOrder& order, Publication& publication) {
  if (spec.logs.empty()) return;
  for (LogOrder& log : LogsOf(spec, publication.job, order))
    publication.logs.push_back(std::move(log));
}

// The file on the machine behind a path of the view.
std::string BehindView(const View& view, const std::string& path) {
  const ViewMount* inner = nullptr;
  for (const ViewMount& mount : view.mounts) {
    const bool within = path.starts_with(mount.path + "/");
    if (within && (inner == nullptr || inner->path.size() < mount.path.size())) inner = &mount;
  }
  return inner == nullptr ? path : inner->source + path.substr(inner->path.size());
}

// ModelArts: the launcher closes the log of a node with the output of its hooks in front and the
// return code at the end. That file is published in place of the rank's own.
void UseTaskLog(const NodeOrder& order, std::span<LogOrder> logs) {
  if (logs.empty() || !order.view || !order.platform.starts_with("modelarts")) return;
  const auto link = std::ranges::find_if(order.view->links, [&](const auto& one) {
    return one.second == logs.front().path && one.first.ends_with(".log");
  });
  if (link != order.view->links.end()) logs.front().path = BehindView(*order.view, link->first);
}

}  // namespace

std::vector<LogOrder> LogsOf(const JobSpec& spec, JobId job, const NodeOrder& order) {
  std::vector<const RankOrder*> processes;
  for (const RankOrder& process : order.ranks)
    if (IsOfJob(spec, process)) processes.push_back(&process);
  std::vector<LogOrder> logs;
  if (processes.empty()) return logs;
  const auto [role, index] = TaskOf(spec, order.node);
  const std::string name = MaJobName(job);
  const std::string task = spec.platform == "modelarts-v1"
                               ? fmt::format("job{:08x}-job-{}-{}.log", job, spec.name, order.node)
                               : fmt::format("{}-{}-{}.log", name, role, index);
  logs.push_back({order.LogPath(processes.front()->rank), task});
  if (processes.size() == 1) return logs;
  for (const RankOrder* process : processes)
    logs.push_back({order.LogPath(process->rank), fmt::format("{}-proc-rank-{}-device-{}.txt", name,
                                                              process->rank, process->local_rank)});
  return logs;
}

Publication PublicationAtEnd(const JobSpec& spec, const Places& places,
                             const std::vector<NodeOrder>& orders, const JobEnd& end) {
  Publication publication = Begun(spec, places);
  publication.state = end.state;
  for (const Publishing& output : spec.published)
    if (end.state == "succeeded" || (output.always && end.ran))
      publication.outputs.push_back(OrderOf(output, places));
  for (const NodeOrder& order : orders) {
    const size_t before = publication.logs.size();
    AddLogs(spec, order, publication);
    UseTaskLog(order, std::span(publication.logs).subspan(before));
  }
  return publication;
}

Publication PublicationMeanwhile(const JobSpec& spec, const Places& places,
                                 const NodeOrder& order) {
  Publication publication = Begun(spec, places);
  publication.record_dir = order.dir + "/records";
  for (const Publishing& output : spec.published)
    if (order.node == 0 && output.sync_ms != 0)
      publication.outputs.push_back(OrderOf(output, places));
  AddLogs(spec, order, publication);
  return publication;
}

NodeOrder PublishingOrder(const NodeOrder& attempt, const std::string& token,
                          const std::string& dir, const Publication& publication) {
  NodeOrder order;
  order.job = attempt.job;
  order.attempt = attempt.attempt;
  order.token = token;
  order.node_name = attempt.node_name;
  order.address = attempt.address;
  order.hosts = attempt.hosts;
  order.hostname = attempt.hostname;
  order.dir = dir + "/node0";
  order.attempt_dir = dir;
  order.work_dir = order.dir + "/work";
  order.env = attempt.env;  // the job's environment selects store and keys
  SetEnv(order.env, "MUSTER_ATTEMPT_TOKEN", token);
  order.grace_ms = attempt.grace_ms;
  order.files.push_back({fmt::format("{}/{}", order.dir, kPublicationFile),
                         ToPrettyJson(ToJsonObject(publication)), 0600});
  return order;
}

}  // namespace muster::dialect
