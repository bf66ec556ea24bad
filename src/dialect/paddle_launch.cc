#include "dialect/paddle_launch.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/command.h"
#include "dialect/devices.h"
#include "dialect/environment.h"
#include "dialect/paddle_servers.h"
#include "dialect/plan.h"
#include "dialect/words.h"

namespace muster::dialect {

namespace {

constexpr std::array<std::string_view, 3> kLaunchers{"paddle.distributed.launch",
                                                     "paddle.distributed.fleet.launch", "fleetrun"};
constexpr int kPortsOfCloud = 20;  // the number that the operator reserves for a pod
// The range in which a launcher searches ports for its ranks: below the ephemeral ports, because an
// outgoing connection may take a port between the search and the start of a rank (Paddle then
// aborts), and outside the range of nodes.
constexpr const char* kPortsOfLauncher = "10000:19999";

// The position of the launcher's flags after its name. Nothing if shell text calls it.
std::optional<size_t> FlagsAt(const std::vector<std::string>& argv) {
  for (size_t i = 0; i < argv.size(); ++i) {
    const std::string_view name = std::string_view(argv[i]).substr(argv[i].rfind('/') + 1);
    if (std::ranges::find(kLaunchers, name) != kLaunchers.end()) return i + 1;
  }
  return std::nullopt;
}

// The launcher's flags before the script.
std::vector<std::string> TakeOwnFlags(std::vector<std::string>& argv, size_t begin) {
  size_t end = begin;
  while (end < argv.size() && argv[end].starts_with("-")) {
    end += argv[end].contains('=') || argv[end] == "--use_paddlecloud" ? 1 : 2;
  }
  end = std::min(end, argv.size());
  std::vector<std::string> own(argv.begin() + long(begin), argv.begin() + long(end));
  argv.erase(argv.begin() + long(begin), argv.begin() + long(end));
  return own;
}

void Add(std::vector<std::string>& flags, std::string_view name, const std::string& value) {
  if (!HasFlag(flags, name)) flags.push_back(fmt::format("--{}={}", name, value));
}

// Numbers from 0: indices of the visible devices.
std::string Indices(const RankFacts& rank) {
  std::string list;
  for (int i = 0; i < rank.role->ranks; ++i) list += (i == 0 ? "" : ",") + std::to_string(i);
  return list;
}

// Variables that the launchers of 2.0 to 2.2 read first, and later ones as a fallback.
void SetCloudVariables(const JobFacts& facts, const RankFacts& rank, NodeOrder& order) {
  Pairs& env = order.env;
  SetEnv(env, "PADDLE_TRAINERS", facts.addresses);
  SetEnv(env, "POD_IP", rank.share->address);
  SetEnv(env, "PADDLE_TRAINER_ID", rank.node);  // of the node, as launchers expect
  SetEnv(env, "PADDLE_TRAINERS_NUM", rank.nodes);
  SetEnv(env, "TRAINER_PORTS_NUM", std::max(kPortsOfCloud, rank.role->ranks));
  SetEnv(env, "PADDLE_PORT", facts.common_port());
  SetEnv(env, "FLAGS_START_PORT", facts.common_port());
}

// 2.3 and later: the environment overrides the command line.
void SetMasterVariables(const JobFacts& facts, const RankFacts& rank, NodeOrder& order) {
  const NodeShare& first = facts.first();
  Pairs& env = order.env;
  SetEnv(env, "PADDLE_MASTER", Endpoint(first.address, first.ports.back()));
  SetEnv(env, "PADDLE_NNODES", rank.nodes);
  SetEnv(env, "PADDLE_RANK", rank.node);
  SetEnv(env, "PADDLE_NPROC_PER_NODE", rank.role->ranks);
  SetEnv(env, "PADDLE_JOB_ID",
         fmt::format("muster-{}-{}", facts.places->job, facts.places->attempt));
  SetEnv(env, "PADDLE_LOG_DIR", fmt::format("{}/{}", order.dir, kPaddleLogFolder));
  if (DeviceIndex(rank) >= 0) SetEnv(env, "PADDLE_DEVICES", Indices(rank));
  SetEnvDefault(env, "PORT_RANGE", kPortsOfLauncher);
}

// Addresses in a command are the same on all nodes, so that every node would take the same ranks:
// the job's addresses replace them, and a note says so.
void ReplaceAddresses(const JobFacts& facts, const RankFacts& rank, NodeOrder& order,
                      std::vector<std::string>& flags) {
  const std::array<std::pair<const char*, std::string>, 2> own{
      {{"cluster_node_ips", facts.addresses}, {"node_ip", rank.share->address}}};
  std::vector<std::string> replaced;
  for (const auto& [name, value] : own) {
    const auto given = TakeFlag(flags, name);
    if (given && *given != value) replaced.push_back(fmt::format("--{}={}", name, *given));
    Add(flags, name, value);
  }
  if (replaced.empty() || rank.node != 0) return;
  order.notes.push_back(fmt::format(
      "{} in the command is replaced on every node by the addresses of this job: --node_ip with "
      "the same value on all nodes would start the same ranks on each of them",
      Join(replaced, " ")));
}

// 1.8 reads flags only.
void AddFlagsOf18(const JobFacts& facts, const RankFacts& rank, NodeOrder& order,
                  std::vector<std::string>& flags) {
  ReplaceAddresses(facts, rank, order, flags);
  Add(flags, "started_port", std::to_string(facts.common_port()));
  Add(flags, "selected_gpus", Indices(rank));
}

// From 2.0 on the launcher passes on the output of its first trainer alone and keeps the others in
// files: they are followed into the node's log, with the trainer in front of each line. $1 is their
// folder, $2 the number of trainers, and the launcher's words follow.
constexpr std::string_view kFollowTrainers = R"sh(folder=$1 count=$2 trainer=1; shift 2
while [ "$trainer" -lt "$count" ]; do
  (tail -q -n +1 -s 0.1 --pid=$$ -F "$folder/workerlog.$trainer" 2>/dev/null | sed -u "s/^/[trainer $trainer] /" &)
  trainer=$((trainer + 1))
done
exec "$@")sh";

void FollowTrainers(const NodeOrder& order, int count, std::vector<std::string>& argv) {
  if (count < 2) return;
  std::vector<std::string> words{"/bin/sh",
                                 "-c",
                                 std::string(kFollowTrainers),
                                 "sh",
                                 fmt::format("{}/{}", order.dir, kPaddleLogFolder),
                                 std::to_string(count)};
  words.insert(words.end(), argv.begin(), argv.end());
  argv = std::move(words);
}

// Other programs, such as shell scripts, call the launcher themselves.
bool IsPython(const JobSpec& spec, const std::vector<std::string>& argv) {
  return argv.front() == spec.python || argv.front().ends_with(".py") ||
         argv.front().substr(argv.front().rfind('/') + 1).starts_with("python");
}

std::vector<std::string> Wrapped(const JobSpec& spec, std::vector<std::string> argv) {
  if (!argv.front().ends_with(".py") && argv.size() > 1) argv.erase(argv.begin());
  argv.insert(argv.begin(), {spec.python, "-m", std::string(kLaunchers[0])});
  return argv;
}

}  // namespace

bool UsesPaddleLaunch(const JobSpec& spec, const Role& role) {
  if (spec.launch.start != "auto") return spec.launch.start == "launch";
  const auto argv = BuildCommand(spec, role, Places{});
  return argv && RunsProgram(*argv, kLaunchers);
}

int PortsOfPaddleLaunch(const JobSpec& spec) {
  if (HasPaddleServers(spec) || !UsesPaddleLaunch(spec, spec.roles.front())) return 0;
  int most = kPortsOfCloud;
  for (const Role& role : spec.roles) most = std::max(most, role.ranks);
  return most;
}

std::string TranslateOldFlags(std::vector<std::string>& argv) {
  std::vector<std::string> gone;
  for (const char* name : {"cluster_node_ips", "node_ip", "started_port", "selected_gpus"}) {
    if (TakeFlag(argv, name)) gone.push_back(fmt::format("--{}", name));
  }
  if (std::erase(argv, "--use_paddlecloud") > 0) gone.emplace_back("--use_paddlecloud");
  if (gone.empty()) return {};
  return fmt::format(
      "this Paddle's launcher would drop {} and train every node alone; nodes and "
      "devices are given to it in its own way instead",
      Join(gone, " "));
}

void SetPaddleDefaults(const NodeShare&, Pairs& env) {
  for (const char* name : {"http_proxy", "https_proxy"}) SetEnvDefault(env, name, "");
}

namespace {

void CompleteFlags(const JobFacts& facts, Version version, const RankFacts& rank, NodeOrder& order,
                   std::vector<std::string>& argv) {
  const auto begin = FlagsAt(argv);
  if (!begin) return;  // inside shell text or a script: only variables are set
  std::vector<std::string> flags = TakeOwnFlags(argv, *begin);
  if (version < kFleetLaunch) {
    AddFlagsOf18(facts, rank, order, flags);
  } else if (version >= kMasterLaunch) {
    const std::string said = TranslateOldFlags(flags);
    if (!said.empty() && rank.node == 0) order.notes.push_back(said);
  } else {
    Add(flags, "ips", facts.addresses);
    if (DeviceIndex(rank) >= 0) Add(flags, "gpus", Indices(rank));
    Add(flags, "log_dir", fmt::format("{}/{}", order.dir, kPaddleLogFolder));
  }
  argv.insert(argv.begin() + long(*begin), flags.begin(), flags.end());
}

}  // namespace

Status ApplyPaddleLaunch(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  const Version version = VersionOf(*facts.spec, kCurrentPaddle);
  EachRank(facts, orders, [&](const RankFacts& rank, NodeOrder& order, RankOrder& process) {
    DropRankEnv(process.env);
    SetPaddleDefaults(*rank.share, order.env);
    SetCloudVariables(facts, rank, order);
    if (version >= kMasterLaunch) SetMasterVariables(facts, rank, order);
    if (IsPython(*facts.spec, process.argv) && !RunsProgram(process.argv, kLaunchers)) {
      process.argv = Wrapped(*facts.spec, std::move(process.argv));
    }
    CompleteFlags(facts, version, rank, order, process.argv);
    if (version >= kFleetLaunch) FollowTrainers(order, rank.role->ranks, process.argv);
  });
  return {};
}

}  // namespace muster::dialect
