#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/command.h"
#include "dialect/environment.h"
#include "dialect/job_rank_table.h"
#include "dialect/plan.h"
#include "dialect/platform.h"
#include "dialect/staging.h"
#include "model/source.h"

namespace muster::dialect {

namespace {

// The kernel's limit for one variable.
constexpr size_t kLongestVariable = 120'000;

// An interpreter needs the folders beside its own.
std::string InstallationOf(const std::string& program) {
  const size_t bin = program.rfind("/bin/");
  const bool last = bin != std::string::npos && program.find('/', bin + 5) == std::string::npos;
  return last && bin > 0 ? program.substr(0, bin) : program;
}

constexpr std::string_view kSudo = R"sh(#!/bin/sh
# Commands of this platform are written for users who may do everything; here they stay who they are.
while [ $# -gt 0 ]; do
  case "$1" in
    -u | -g | -h | -p | -C | -U) shift 2 || exit 1 ;;
    --) shift; break ;;
    -*) shift ;;
    *=*) export "$1"; shift ;;
    *) break ;;
  esac
done
exec "$@"
)sh";

}  // namespace

void AddSudo(NodeOrder& order) {
  order.files.push_back({order.dir + "/bin/sudo", std::string(kSudo), 0755});
}

const Platform* FindPlatform(std::string_view name) {
  static const std::array kAll{&kModelarts, &kModelartsV1, &kApulis};
  const auto found = std::ranges::find(kAll, name, [](const auto* one) { return one->name; });
  return found == kAll.end() ? nullptr : *found;
}

std::string JobUuid(JobId job) { return fmt::format("00000000-0000-4000-8000-{:012}", job); }

std::vector<std::string> KeptPaths(const JobSpec& outside, const Places& places) {
  // Fetched files are linked from the server's cache, which requires a common mount.
  const auto staging = StagingOf(outside, places);
  const bool fetches = staging && !staging->inputs.empty();
  std::vector<std::string> kept{fetches ? places.data_dir : places.job_dir};
  if (!places.code_dir.empty()) kept.push_back(places.code_dir);
  if (!places.muster.empty()) kept.push_back(places.muster);
  if (outside.python.starts_with('/')) kept.push_back(InstallationOf(outside.python));
  // The submitter's Python environment, wherever it is.
  for (const auto& [name, value] : outside.shell_env)
    if ((name == "VIRTUAL_ENV" || name == "CONDA_PREFIX") && value.starts_with('/'))
      kept.push_back(value);
  for (const auto& input : outside.inputs)
    if (!IsFar(input.second)) kept.push_back(PlainPath(input.second));
  for (const auto& output : outside.outputs)
    if (!IsFar(output.second)) kept.push_back(OutputFolder(output, places));
  return kept;
}

bool NamesEveryNode(const JobFacts& facts, std::string_view names, NodeOrder& order) {
  const size_t nodes = facts.allocation->nodes.size();
  if (nodes <= kMostPeers) return true;
  order.notes.push_back(
      fmt::format("{} are left out: there are {} nodes, and an environment has "
                  "room for {}",
                  names, nodes, kMostPeers));
  return false;
}

void SetLongEnv(NodeOrder& order, std::string_view name, const std::string& value) {
  if (value.size() <= kLongestVariable) return SetEnv(order.env, name, value);
  order.notes.push_back(
      fmt::format("{} is left out: {} are too long for a variable", name, HumanSize(value.size())));
}

bool HasNpus(const JobFacts& facts) {
  return std::ranges::all_of(facts.allocation->nodes, [](const NodeShare& share) {
    return share.kind == "npu" && !share.devices.empty();
  });
}

Result<std::string> PlatformTable(const JobFacts& facts, TableForm form,
                                  const std::vector<std::string>& pods) {
  MUSTER_ASSIGN(std::vector<TableHost> hosts, TableHostsOf(facts));
  for (size_t i = 0; i < hosts.size() && i < pods.size(); ++i) hosts[i].pod = pods[i];
  MUSTER_ASSIGN(const RankTable table, MakeRankTable(hosts, form));
  return ToPrettyJson(ToJsonObject(table));
}

}  // namespace muster::dialect
