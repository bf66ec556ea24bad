#include "dialect/msrun.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/command.h"
#include "dialect/environment.h"
#include "dialect/extra.h"
#include "dialect/words.h"

namespace muster::dialect {

namespace {

constexpr std::string_view kMsrun = "msrun";
constexpr int kNodeTimeoutSeconds = 60;

bool IsMsrun(const std::vector<std::string>& argv) {
  return std::string_view(argv.front()).substr(argv.front().rfind('/') + 1) == kMsrun;
}

// The position of the script: the first word after msrun's flags.
size_t ScriptAt(const std::vector<std::string>& argv) {
  size_t at = 1;
  while (at < argv.size() && argv[at].starts_with("--")) {
    at += argv[at].contains('=') ? 1 : 2;
  }
  return std::min(at, argv.size());
}

// msrun starts the scheduler on the node whose network interfaces have the address; of loopback
// addresses it finds only the first one. If it has started a scheduler it waits for it a minute and
// more after a worker was killed, so the address is never that one.
std::string MasterAddress(const NodeShare& first) {
  return first.address == "127.0.0.1" ? "127.0.0.2" : first.address;
}

std::string MasterFlag(const NodeShare& first) { return "--master_addr=" + MasterAddress(first); }

// `argv` is complete; an address of the user may differ.
bool StartsScheduler(const NodeShare& first, const std::vector<std::string>& argv) {
  if (first.is_virtual) return false;
  const bool ours = std::ranges::find(argv, MasterFlag(first)) != argv.end();
  return !ours || !first.address.starts_with("127.");
}

class Call {
 public:
  Call(const JobFacts& facts, const RankFacts& rank, NodeOrder& order)
      : facts_(facts), rank_(rank), order_(order) {}

  // The words after msrun's name with all missing flags.
  std::vector<std::string> Words(std::vector<std::string> argv) {
    if (!IsMsrun(argv)) argv = Wrapped(std::move(argv));
    const size_t script = ScriptAt(argv);
    std::vector<std::string> own(argv.begin() + 1, argv.begin() + long(script));
    ForceJoin(own);
    const NodeShare& first = facts_.first();
    int workers = 0;
    for (const RankFacts& one : facts_.ranks) workers += one.role->ranks;
    Add(own, "worker_num", std::to_string(workers));
    Add(own, "local_worker_num", std::to_string(rank_.role->ranks));
    if (!HasFlag(own, "master_addr")) own.push_back(MasterFlag(first));
    Add(own, "master_port", std::to_string(first.ports.front()));
    Add(own, "node_rank", std::to_string(rank_.node));
    Add(own, "log_dir", order_.dir + "/msrun");
    if (const auto timeout = facts_.spec->launch.timeout_ms) {
      Add(own, "cluster_time_out", std::to_string(*timeout / 1000));
    }
    std::vector<std::string> words{argv.front()};
    words.insert(words.end(), own.begin(), own.end());
    words.insert(words.end(), argv.begin() + long(script), argv.end());
    return words;
  }

 private:
  // msrun puts "python" before any program except python, python3 and pytest.
  std::vector<std::string> Wrapped(std::vector<std::string> argv) const {
    const bool drop = argv.front() == facts_.spec->python && argv.size() > 1 &&
                      argv.front() != "python" && argv.front() != "python3";
    if (drop) argv.erase(argv.begin());
    argv.insert(argv.begin(), std::string(kMsrun));
    return argv;
  }

  // Without it msrun exits with 0 immediately while its workers start.
  void ForceJoin(std::vector<std::string>& own) {
    const auto said = TakeFlag(own, "join");
    own.insert(own.begin(), "--join=True");
    if (said && Lower(*said) != "true" && rank_.node == 0) {
      order_.notes.emplace_back(
          "msrun --join=False would end before its workers do; it is started with --join=True");
    }
  }

  static void Add(std::vector<std::string>& own, std::string_view name, const std::string& value) {
    if (!HasFlag(own, name)) own.push_back(fmt::format("--{}={}", name, value));
  }

  const JobFacts& facts_;
  const RankFacts& rank_;
  NodeOrder& order_;
};

}  // namespace

Status ApplyMsrun(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  const auto command = BuildCommand(*facts.spec, facts.spec->roles.front(), *facts.places);
  const bool by_shell = command && IsShellText(*command) && command->back().contains(kMsrun);
  EachRank(facts, orders, [&](const RankFacts& rank, NodeOrder& order, RankOrder& process) {
    DropRankEnv(process.env);
    SetEnvDefault(order.env, "MS_NODE_TIMEOUT", kNodeTimeoutSeconds);
    SetEnv(order.env, "JOB_ID", facts.places->job);
    if (!by_shell) process.argv = Call(facts, rank, order).Words(std::move(process.argv));
  });
  if (by_shell) {
    orders.front().notes.emplace_back(
        "msrun is called by a shell text: its flags are the text's own affair, from the MUSTER_ "
        "variables");
    return {};
  }
  const NodeShare& first = facts.first();
  const std::vector<std::string>& argv = orders.front().ranks.front().argv;
  if (StartsScheduler(first, argv)) return {};
  // The scheduler address of msrun's workers, which may be from the user's flags.
  std::vector<std::string> flags(argv.begin(), argv.begin() + long(ScriptAt(argv)));
  const auto host = TakeFlag(flags, "master_addr"), port = TakeFlag(flags, "master_port");
  std::vector<std::string> script(argv.begin() + long(ScriptAt(argv)), argv.end());
  if (!script.empty() && script.front().ends_with(".py")) {
    script.insert(script.begin(), facts.spec->python);
  }
  int workers = 0;
  for (const RankFacts& one : facts.ranks) workers += one.role->ranks;
  RankOrder& scheduler = AddExtra(facts, orders, 0, "scheduler", std::move(script));
  SetEnv(scheduler.env, "MS_ROLE", "MS_SCHED");
  SetEnv(scheduler.env, "MS_SCHED_HOST", host.value_or(MasterAddress(first)));
  SetEnv(scheduler.env, "MS_SCHED_PORT", port.value_or(std::to_string(first.ports.front())));
  SetEnv(scheduler.env, "MS_WORKER_NUM", workers);
  return {};
}

}  // namespace muster::dialect
