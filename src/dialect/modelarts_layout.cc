#include <fmt/format.h>

#include "base/text.h"
#include "dialect/command.h"
#include "dialect/modelarts.h"
#include "dialect/plan.h"
#include "dialect/staging.h"

namespace muster::dialect {

namespace {

// Slashes in a name must not lead to another folder.
std::string ChannelName(const std::string& name, size_t index) {
  std::string folder;
  for (const char c : name) folder += c == '/' ? '_' : c;
  return fmt::format("{}_{}", folder, index);
}

std::string CodeName(const JobSpec& spec) {
  if (spec.code.empty() && spec.code_hash.empty()) return "";
  std::string_view path = spec.code;
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  return std::string(name.empty() || name == "." || name == ".." ? spec.name : name);
}

// Log files of ranks under the names of the platform.
void AddLogs(const PlatformJob& job, const MaLayout& layout, const NodeOrder& order, View& view) {
  const JobFacts& facts = *job.facts;
  const std::string name = MaJobName(facts.places->job);
  bool first = true;
  for (const RankOrder& process : order.ranks) {
    if (process.rank >= int(facts.ranks.size())) continue;
    const std::string log = order.LogPath(process.rank);
    if (std::exchange(first, false)) {
      const std::string task = layout.v2 ? fmt::format("{}.log", MaInstance(facts, order.node))
                                         : fmt::format("job{:08x}-job-{}-{}.log", facts.places->job,
                                                       job.outside->name, order.node);
      view.links.emplace_back(layout.log + "/" + task, log);
    }
    view.links.emplace_back(fmt::format("{}/{}-proc-rank-{}-device-{}.txt", layout.log, name,
                                        process.rank, process.local_rank),
                            log);
  }
}

}  // namespace

MaLayout LayoutOf(const JobSpec& spec) {
  MaLayout layout{.v2 = spec.platform != "modelarts-v1"};
  layout.home = layout.v2 ? "/home/ma-user" : "/home/work";
  layout.mount = layout.v2 ? layout.home + "/modelarts" : layout.home;
  layout.job_dir = layout.mount + "/user-job-dir";
  layout.code_name = CodeName(spec);
  layout.code = layout.code_name.empty() ? layout.job_dir : layout.job_dir + "/" + layout.code_name;
  layout.log = layout.mount + "/log";
  layout.workspace = layout.v2 ? layout.mount + "/workspace" : "/cache";
  layout.rank_table = layout.mount + "/rank_table/jobstart_hccl.json";
  return layout;
}

std::string MaInput(const MaLayout& layout, const JobSpec& spec, size_t index) {
  return layout.mount + "/inputs/" + ChannelName(spec.inputs[index].first, index);
}

std::string MaOutput(const MaLayout& layout, const JobSpec& spec, size_t index) {
  return layout.mount + "/outputs/" + ChannelName(spec.outputs[index].first, index);
}

View MaView(const PlatformJob& job, const MaLayout& layout, const NodeOrder& order) {
  const JobSpec& outside = *job.outside;
  const Places& places = *job.facts->places;
  View view;
  const auto mount = [&](std::string path, std::string source) -> ViewMount& {
    return view.mounts.emplace_back(std::move(path), std::move(source));
  };
  mount("/tmp", order.dir + "/tmp").scratch = true;
  mount("/cache", order.dir + "/cache").scratch = true;
  mount(layout.home, order.dir + "/home");
  mount(layout.job_dir, order.work_dir);
  mount(layout.log, order.dir + "/log");
  if (layout.v2) mount(layout.workspace, order.dir + "/workspace");
  for (size_t i = 0; layout.v2 && i < outside.inputs.size(); ++i) {
    mount(MaInput(layout, outside, i), InputPath(outside, outside.inputs[i], places)).given =
        !outside.IsFetched(outside.inputs[i]);
  }
  for (size_t i = 0; layout.v2 && i < outside.outputs.size(); ++i) {
    mount(MaOutput(layout, outside, i), OutputFolder(outside.outputs[i], places));
  }
  if (HasNpus(*job.facts)) mount("/user/config", order.dir + "/config");
  if (layout.v2) mount(std::string(kVolcano), order.dir + "/volcano");
  if (!layout.code_name.empty() && layout.code_name != "code") {
    view.links.emplace_back(layout.code, "code");
  }
  AddLogs(job, layout, order, view);
  view.keep = KeptPaths(outside, places);
  return view;
}

}  // namespace muster::dialect
