#include "dialect/launcher_flags.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"
#include "dialect/boot_file.h"
#include "dialect/command.h"
#include "dialect/plan.h"
#include "dialect/words.h"

namespace muster::dialect {

namespace {

enum class Meaning {
  kNodes,      // of the job: must agree
  kNodeIndex,  // the same word on every node cannot be right
  kOneNode,    // meets on its own node only
  kPerNode,    // ranks on each node: not above the job's, and a note below
  kEachNode,   // the same, but must agree
  kRanks,      // ranks of the job: not above, and a note below
  kAllRanks,   // the same, but must agree
};

struct ShapeFlag {
  std::string_view name;  // without dashes
  Meaning meaning;
};

struct Launcher {
  std::string_view name;
  std::string_view framework;  // that starts it once per node, or once; empty: several do
  std::array<ShapeFlag, 4> flags;
  std::string_view alone;  // flags without a value, with blanks around each
};

constexpr std::string_view kAloneOfTorch =
    " standalone no-python m module run-path use-env virtual-local-rank ";
constexpr std::string_view kAloneOfMpi =
    " oversubscribe allow-run-as-root tag-output timestamp-output q quiet v verbose nolocal ";
constexpr std::array<ShapeFlag, 4> kOfTorch{{{"standalone", Meaning::kOneNode},
                                             {"nnodes", Meaning::kNodes},
                                             {"node-rank", Meaning::kNodeIndex},
                                             {"nproc-per-node", Meaning::kPerNode}}};
constexpr std::array<ShapeFlag, 4> kOfMpi{{{"np", Meaning::kRanks}, {"n", Meaning::kRanks}}};
constexpr std::array<Launcher, 14> kLaunchers{{
    {"torchrun", "pytorch", kOfTorch, kAloneOfTorch},
    {"torch.distributed.run", "pytorch", kOfTorch, kAloneOfTorch},
    {"torch.distributed.launch", "pytorch", kOfTorch, kAloneOfTorch},
    {"accelerate",
     "pytorch",
     {{{"num-machines", Meaning::kNodes},
       {"machine-rank", Meaning::kNodeIndex},
       {"num-processes", Meaning::kRanks}}},
     " multi-gpu cpu tpu m module no-python use-deepspeed use-fsdp debug "},
    {"msrun",
     "mindspore",
     {{{"worker-num", Meaning::kAllRanks},
       {"local-worker-num", Meaning::kEachNode},
       {"node-rank", Meaning::kNodeIndex}}},
     ""},
    {"paddle.distributed.launch",
     "paddle",
     {{{"nnodes", Meaning::kNodes},
       {"rank", Meaning::kNodeIndex},
       {"nproc-per-node", Meaning::kEachNode}}},
     " use-paddlecloud "},
    {"fleetrun",
     "paddle",
     {{{"nnodes", Meaning::kNodes},
       {"rank", Meaning::kNodeIndex},
       {"nproc-per-node", Meaning::kEachNode}}},
     " use-paddlecloud "},
    {"deepspeed",
     "deepspeed",
     {{{"num-nodes", Meaning::kNodes},
       {"node-rank", Meaning::kNodeIndex},
       {"num-gpus", Meaning::kPerNode}}},
     " no-ssh no-ssh-check no-local-rank no-python m module force-multi "},
    {"horovodrun",
     "horovod",
     {{{"np", Meaning::kRanks}, {"num-proc", Meaning::kRanks}}},
     " gloo mpi disable-cache verbose "},
    {"mpirun", "", kOfMpi, kAloneOfMpi},
    {"mpiexec", "", kOfMpi, kAloneOfMpi},
    {"orterun", "", kOfMpi, kAloneOfMpi},
    {"mpiexec.hydra", "", kOfMpi, kAloneOfMpi},
    {"mpirun.openmpi", "", kOfMpi, kAloneOfMpi},
}};
constexpr std::array<std::string_view, 3> kWithMpirun{"mpi", "horovod", "mindspore"};

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// "--nproc_per_node" is "nproc-per-node"; "-np" is "np".
std::string PlainName(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  std::string name(word.substr(0, word.find('=')));
  std::ranges::replace(name, '_', '-');
  return name;
}

const Launcher* FindLauncher(const JobSpec& spec, std::string_view word) {
  const auto found = std::ranges::find(kLaunchers, BaseName(word), &Launcher::name);
  if (found == kLaunchers.end()) return nullptr;
  const bool fits = found->framework.empty()
                        ? std::ranges::find(kWithMpirun, spec.framework) != kWithMpirun.end()
                        : found->framework == spec.framework;
  return fits ? &*found : nullptr;
}

struct Given {
  const Launcher* launcher = nullptr;
  std::string word;  // as written: "--nnodes"
  Meaning meaning = Meaning::kNodes;
  std::string value;
};

// The launcher's own flags that say something about the shape, up to the program that it starts.
std::vector<Given> FlagsOf(const Launcher& launcher, std::span<const std::string> words) {
  std::vector<Given> given;
  if (launcher.name == "accelerate") {
    if (words.empty() || words[0] != "launch") return given;
    words = words.subspan(1);
  }
  while (!words.empty() && words[0].starts_with('-')) {
    const std::string& word = words[0];
    const std::string name = PlainName(word);
    const bool inside = word.contains('=');
    const bool alone = inside || launcher.alone.contains(fmt::format(" {} ", name));
    // Settings of Open MPI have a name and a value.
    const size_t taken = alone ? 1 : name.ends_with("mca") ? 3 : 2;
    const auto flag = std::ranges::find(launcher.flags, name, &ShapeFlag::name);
    if (flag != launcher.flags.end() && !name.empty())
      given.push_back({&launcher, word.substr(0, word.find('=')), flag->meaning,
                       inside                       ? word.substr(word.find('=') + 1)
                       : !alone && words.size() > 1 ? words[1]
                                                    : ""});
    words = words.subspan(std::min(taken, words.size()));
  }
  return given;
}

std::vector<Given> FlagsOf(const JobSpec& spec, const Role& role) {
  const auto argv = BuildCommand(spec, role, Places{});
  if (!argv) return {};
  const std::vector<std::string> words = CommandWords(*argv);
  // Hosts of the user's own, and several programs, have a shape that is not the job's.
  for (const std::string& word : words)
    if (word == ":" || word == "-H" || word == "--host" || word == "-host") return {};
  for (size_t i = 0; i < words.size(); ++i)
    if (const Launcher* launcher = FindLauncher(spec, words[i]))
      return FlagsOf(*launcher, std::span(words).subspan(i + 1));
  return {};
}

struct Shape {
  int nodes = 1, per_node = 1, ranks = 1;
  bool whole = true;  // one role works, so that nodes and ranks of the job are its own
};

Shape ShapeOf(const JobSpec& spec, const Role& role) {
  Shape shape{.nodes = role.nodes};
  const auto on_node = [](const Role& one) {
    return one.ranks > 1 ? one.ranks : std::max(1, one.devices.count);
  };
  shape.per_node = on_node(role);
  shape.ranks = shape.nodes * shape.per_node;
  shape.whole =
      std::ranges::count_if(spec.roles, [](const Role& one) { return !one.service; }) == 1;
  return shape;
}

// "2", or "1:4" for elastic jobs; nothing for other words, such as a shell's variable.
std::optional<std::pair<int64_t, int64_t>> Range(std::string_view value) {
  const size_t colon = value.find(':');
  const auto low = ParseInt(value.substr(0, colon));
  if (!low) return std::nullopt;
  if (colon == std::string_view::npos) return std::pair(*low, *low);
  const auto high = ParseInt(value.substr(colon + 1));
  if (!high) return std::nullopt;
  return std::pair(*low, *high);
}

std::string Written(const Given& given) {
  return fmt::format("{}{}{} of {}", given.word, given.value.empty() ? "" : "=", given.value,
                     given.launcher->name);
}

std::optional<FlagFault> Check(const Shape& shape, const Given& given) {
  const auto range = Range(given.value);
  const auto fault = [&](std::string expected, std::string hint) {
    return FlagFault{.role = {},
                     .found = Written(given),
                     .expected = std::move(expected),
                     .hint = std::move(hint)};
  };
  const std::string leave =
      fmt::format("leave {} out: {} takes it from the job", given.word, given.launcher->name);
  const auto outside = [&](int64_t own) {
    return range && (own < range->first || own > range->second);
  };
  switch (given.meaning) {
    case Meaning::kOneNode:
      if (shape.nodes == 1 || !shape.whole) return std::nullopt;
      return fault(fmt::format("a launcher that meets on {}", Counted(shape.nodes, "node")),
                   fmt::format("leave {} out, or ask for one node: -N 1", given.word));
    case Meaning::kNodeIndex:
      if (shape.nodes == 1 || !range) return std::nullopt;
      return fault(fmt::format("a different number on each of the {} nodes", shape.nodes), leave);
    case Meaning::kNodes:
      if (!shape.whole || !outside(shape.nodes)) return std::nullopt;
      return fault(fmt::format("{}, the nodes of the job", shape.nodes), leave);
    case Meaning::kEachNode:
    case Meaning::kPerNode: {
      const bool agree = given.meaning == Meaning::kEachNode;
      if (!range || (agree ? !outside(shape.per_node) : range->first <= shape.per_node))
        return std::nullopt;
      return fault(
          fmt::format("{}{}, the ranks on each node", agree ? "" : "at most ", shape.per_node),
          leave);
    }
    case Meaning::kAllRanks:
    case Meaning::kRanks: {
      const bool agree = given.meaning == Meaning::kAllRanks;
      if (!shape.whole || !range || (agree ? !outside(shape.ranks) : range->first <= shape.ranks))
        return std::nullopt;
      return fault(fmt::format("{}{}, the ranks of the job", agree ? "" : "at most ", shape.ranks),
                   leave);
    }
  }
  return std::nullopt;
}

// Commands of ModelArts start launchers for themselves, with the platform's variables alone.
bool IsChecked(const JobSpec& spec) { return !spec.platform.starts_with("modelarts"); }

}  // namespace

std::vector<FlagFault> FindFlagFaults(const JobSpec& spec) {
  std::vector<FlagFault> faults;
  if (!IsChecked(spec)) return faults;
  for (const Role& role : spec.roles) {
    for (const Given& given : FlagsOf(spec, role)) {
      auto fault = Check(ShapeOf(spec, role), given);
      if (!fault) continue;
      fault->role = role.name;
      faults.push_back(std::move(*fault));
    }
  }
  return faults;
}

std::vector<std::string> FlagNotes(const JobSpec& spec) {
  std::vector<std::string> notes;
  if (!IsChecked(spec)) return notes;
  for (const Role& role : spec.roles) {
    const Shape shape = ShapeOf(spec, role);
    for (const Given& given : FlagsOf(spec, role)) {
      const auto range = Range(given.value);
      const int own = given.meaning == Meaning::kPerNode                ? shape.per_node
                      : given.meaning == Meaning::kRanks && shape.whole ? shape.ranks
                                                                        : 0;
      if (own == 0 || !range || range->first >= own || range->first < 1) continue;
      notes.push_back(fmt::format("{} starts fewer ranks than the job has devices for: {}{}",
                                  Written(given), own,
                                  given.meaning == Meaning::kPerNode ? " on each node" : ""));
    }
    if (spec.framework == "custom" && spec.platform.empty() && role.ranks > 1 &&
        CallsLauncher(spec, role))
      notes.push_back(fmt::format(
          "the command calls a framework's launcher, and {} of them start on each node, one for "
          "each rank; with `framework:` (-f) one starts on each node",
          role.ranks));
  }
  return notes;
}

}  // namespace muster::dialect
