#include "dialect/plan.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/command.h"
#include "dialect/environment.h"
#include "dialect/facts.h"
#include "dialect/framework.h"
#include "dialect/launcher_flags.h"
#include "dialect/platform.h"
#include "dialect/publishing.h"
#include "dialect/staging.h"
#include "model/source.h"

namespace muster::dialect {

namespace {

constexpr int kSketchPort = 29'500;

Result<const Framework*> FindFramework(const std::string& name) {
  std::vector<std::string> names;
  std::vector<std::string_view> views;
  for (const Framework& framework : AllFrameworks()) {
    if (framework.name == name) return &framework;
    names.emplace_back(framework.name);
    views.emplace_back(framework.name);
  }
  const std::string_view meant = DidYouMean(name, views);
  return Fail(Code::kInvalid, fmt::format("framework \"{}\" is unknown", Printable(name)),
              meant.empty() ? "use one of " + Join(names, ", ")
                            : fmt::format("did you mean \"{}\"?", meant));
}

// Nodes of several roles on one machine need distinct names for mpirun and the hosts file.
Hosts HostsOf(const Allocation& allocation) {
  Hosts hosts;
  std::set<std::string_view> seen;
  for (const NodeShare& share : allocation.nodes) {
    const bool fresh = seen.insert(share.node).second;
    hosts.emplace_back(share.address,
                       fresh ? share.node : fmt::format("{}.{}", share.node, share.index));
  }
  return hosts;
}

std::vector<std::string> FoldersOf(const JobSpec& spec, const Places& places) {
  std::vector<std::string> folders{places.job_dir + "/outputs"};
  for (const auto& output : spec.outputs)
    if (!IsFar(output.second)) folders.push_back(OutputFolder(output, places));
  return folders;
}

std::string FolderOfRank(const JobSpec& spec, const NodeOrder& order, int rank) {
  if (spec.workdir == "rank") return fmt::format("{}/rank{}", order.work_dir, rank);
  return order.code_dir.empty() ? order.work_dir : order.work_dir + "/code";
}

NodeOrder NodeOrderOf(const JobFacts& facts, const NodeShare& share) {
  const JobSpec& spec = *facts.spec;
  const Places& places = *facts.places;
  NodeOrder order;
  order.job = places.job;
  order.attempt = places.attempt;
  order.token = places.token;
  order.node = share.index;
  order.node_count = int(facts.allocation->nodes.size());
  order.node_name = share.node;
  order.address = share.address;
  order.isolate = share.is_virtual;
  order.dir = fmt::format("{}/node{}", places.attempt_dir, share.index);
  order.attempt_dir = places.attempt_dir;
  order.code_dir = places.code_dir;
  order.work_shared = spec.workdir == "job";
  order.work_dir = (order.work_shared ? places.attempt_dir : order.dir) + "/work";
  if (places.attempt > 1 && spec.on_retry == "continue") order.taken_over = {order.work_dir};
  order.code_per_rank = spec.workdir == "rank";
  order.folders = FoldersOf(spec, places);
  order.hooks = spec.hooks;
  order.env = NodeEnv(facts, share.index);
  order.has_shell_env = !facts.spec->submit_dir.empty();
  order.memory = spec.memory;
  order.time_limit_ms = spec.time_limit_ms;
  order.warning_ms = spec.warning_ms;
  order.warning_signal = spec.warning_signal;
  order.grace_ms = spec.grace_ms;
  return order;
}

RankOrder RankOrderOf(const JobFacts& facts, const RankFacts& rank, const NodeOrder& order,
                      std::vector<std::string> argv) {
  RankOrder made{.rank = rank.rank,
                 .local_rank = rank.local_rank,
                 .role = rank.role->name,
                 .service = rank.role->service,
                 .argv = std::move(argv),
                 .env = RankEnv(rank, order),
                 .cwd = FolderOfRank(*facts.spec, order, rank.rank)};
  if (facts.spec->workdir == "rank") made.env.emplace_back("MUSTER_WORK_DIR", made.cwd);
  return made;
}

Status AddRanks(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  std::vector<std::vector<std::string>> commands;  // by role
  for (const Role& role : facts.spec->roles) {
    MUSTER_ASSIGN(std::vector<std::string> argv, BuildCommand(*facts.spec, role, *facts.places));
    commands.push_back(std::move(argv));
  }
  for (const RankFacts& rank : facts.ranks) {
    NodeOrder& order = orders[size_t(rank.node)];
    const size_t role = size_t(rank.role - facts.spec->roles.data());
    order.ranks.push_back(RankOrderOf(facts, rank, order, commands[role]));
  }
  return {};
}

// The orders of the framework.
Result<std::vector<NodeOrder>> PlanFacts(const JobFacts& facts, const Framework& framework) {
  const Allocation& allocation = *facts.allocation;
  const Places& places = *facts.places;
  const Shared<Hosts> hosts = HostsOf(allocation);
  std::vector<NodeOrder> orders;
  orders.reserve(allocation.nodes.size());
  for (const NodeShare& share : allocation.nodes) {
    orders.push_back(NodeOrderOf(facts, share));
    orders.back().hosts = hosts;
    orders.back().hostname = (*hosts)[size_t(share.index)].second;
    SetEnv(orders.back().env, "MUSTER_WORK_DIR",
           places.code_dir.empty() || orders.back().code_per_rank
               ? orders.back().work_dir
               : orders.back().work_dir + "/code");
  }
  MUSTER_TRY(AddRanks(facts, orders));
  MUSTER_TRY(framework.apply(facts, orders));
  return orders;
}

// The framework plans the job with the paths inside the view.
Result<std::vector<NodeOrder>> PlanInside(const Platform& platform, const JobSpec& spec,
                                          const Allocation& allocation, const Places& places) {
  const JobSpec inside = platform.inside(spec);
  MUSTER_ASSIGN(const Framework* framework, FindFramework(inside.framework));
  MUSTER_ASSIGN(const JobFacts facts, GatherFacts(inside, allocation, places, *framework));
  PlatformJob job{.outside = &spec};
  if (platform.common_ports(spec) > 0) job.port = facts.common_port();
  MUSTER_ASSIGN(std::vector<NodeOrder> orders, PlanFacts(facts, *framework));
  job.facts = &facts;
  MUSTER_TRY(platform.apply(job, orders));
  return orders;
}

Status CheckCommonPorts(const JobSpec& spec, const Allocation& allocation) {
  const size_t needed = size_t(CommonPorts(spec)), given = allocation.common_ports.size();
  const bool of_old_server =
      given == 0 && !allocation.nodes.empty() && !allocation.nodes.front().ports.empty();
  if (given >= needed || of_old_server) return {};
  return Fail(
      Code::kInvalid,
      fmt::format("the allocation does not match the job: it has {} ports that are the same "
                  "on all nodes, {} are needed",
                  given, needed),
      "place the job again");
}

Result<std::vector<NodeOrder>> PlanEither(const JobSpec& spec, const Allocation& allocation,
                                          const Places& places) {
  MUSTER_TRY(CheckCommonPorts(spec, allocation));
  const Platform* platform = FindPlatform(spec.platform);
  if (platform != nullptr) return PlanInside(*platform, spec, allocation, places);
  MUSTER_ASSIGN(const Framework* framework, FindFramework(spec.framework));
  MUSTER_ASSIGN(const JobFacts facts, GatherFacts(spec, allocation, places, *framework));
  return PlanFacts(facts, *framework);
}

void AddLocalInputs(const JobSpec& spec, std::vector<NodeOrder>& orders) {
  Pairs inputs;
  for (const auto& [name, place] : spec.inputs)
    if (!IsFar(place)) inputs.emplace_back(name, PlainPath(place));
  for (NodeOrder& order : orders) order.local_inputs = inputs;
}

}  // namespace

int PortsPerNode(const JobSpec& spec) {
  const auto of_framework = [](const JobSpec& job) {
    const auto framework = FindFramework(job.framework);
    return framework ? (*framework)->ports(job) : 0;
  };
  const Platform* platform = FindPlatform(spec.platform);
  if (platform == nullptr) return of_framework(spec);
  return of_framework(platform->inside(spec));
}

int CommonPorts(const JobSpec& spec) {
  const auto of_framework = [](const JobSpec& job) {
    const auto framework = FindFramework(job.framework);
    return framework && (*framework)->common_ports != nullptr ? (*framework)->common_ports(job) : 0;
  };
  const Platform* platform = FindPlatform(spec.platform);
  if (platform == nullptr) return of_framework(spec);
  return std::max(platform->common_ports(spec), of_framework(platform->inside(spec)));
}

Result<std::vector<NodeOrder>> Plan(const JobSpec& spec, const Allocation& allocation,
                                    const Places& places) {
  MUSTER_ASSIGN(std::vector<NodeOrder> orders, PlanEither(spec, allocation, places));
  for (std::string& note : FlagNotes(spec)) orders.front().notes.push_back(std::move(note));
  AddLocalInputs(spec, orders);
  if (places.attempt > 1 && spec.on_retry == "fresh") {
    orders.front().notes.push_back(fmt::format(
        "attempt {} starts in a new working folder, as on_retry: fresh says", places.attempt));
  }
  if (const auto staging = StagingOf(spec, places)) {
    const Shared<std::string> text = ToPrettyJson(ToJsonObject(*staging));
    for (NodeOrder& order : orders)
      order.files.push_back({fmt::format("{}/{}", order.dir, kStagingFile), text, 0600});
  }
  for (NodeOrder& order : orders) {
    const Publication meanwhile = PublicationMeanwhile(spec, places, order);
    if (meanwhile.empty()) continue;
    order.files.push_back({fmt::format("{}/{}", order.dir, kMeanwhileFile),
                           ToPrettyJson(ToJsonObject(meanwhile)), 0600});
  }
  return orders;
}

Status CheckPlanSize(const JobSpec& spec) {
  int64_t nodes = 0, ranks = 0;
  for (const Role& role : spec.roles) {
    nodes += role.nodes;
    ranks += int64_t{role.nodes} * std::max(role.ranks, role.devices.count);
  }
  const auto refuse = [](std::string_view what, int64_t count, int most) {
    return Fail(Code::kTooLarge,
                fmt::format("the job has {} {}, and a plan shows at most {}", count, what, most),
                fmt::format("plan the job with fewer {}; each gets the same kind of order", what));
  };
  if (nodes > kMostPlannedNodes) return refuse("nodes", nodes, kMostPlannedNodes);
  if (ranks > kMostPlannedRanks) return refuse("ranks", ranks, kMostPlannedRanks);
  return {};
}

std::vector<FrameworkInfo> Frameworks() {
  std::vector<FrameworkInfo> all;
  for (const Framework& framework : AllFrameworks()) {
    all.push_back({framework.name, framework.summary});
  }
  return all;
}

Allocation SketchAllocation(const JobSpec& spec) {
  constexpr int kHostsPerNet = 254;
  const int ports = PortsPerNode(spec);
  Allocation allocation;
  for (const Role& role : spec.roles) {
    for (int i = 0; i < role.nodes; ++i) {
      const int index = int(allocation.nodes.size());
      NodeShare share{.index = index, .role = role.name, .kind = role.devices.kind};
      share.node = fmt::format("node-{}", index);
      share.address =
          fmt::format("127.77.{}.{}", index / kHostsPerNet % 256, index % kHostsPerNet + 1);
      share.is_virtual = true;
      for (int device = 0; device < role.devices.count; ++device) share.devices.push_back(device);
      for (int port = 0; port < ports; ++port) {
        share.ports.push_back(kSketchPort + port);
      }
      allocation.nodes.push_back(std::move(share));
    }
  }
  for (int port = 0; port < CommonPorts(spec); ++port) {
    allocation.common_ports.push_back(kSketchPort + ports + port);
  }
  return allocation;
}

}  // namespace muster::dialect
