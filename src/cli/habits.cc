#include "cli/habits.h"

#include <algorithm>
#include <array>

namespace muster::cli {
namespace {

struct VerbHabit {
  std::string_view verb;
  std::string_view hint;
};

constexpr std::string_view kRun = "muster run JOB.yaml, or muster run -- COMMAND";
constexpr std::string_view kStop = "muster stop ID ends a job, muster rm ID removes an ended one";
constexpr std::string_view kShow = "muster ps lists jobs, muster describe ID shows one";

constexpr std::array<VerbHabit, 24> kVerbs{{
    {"status", kShow},
    {"show", kShow},
    {"get", kShow},
    {"list", kShow},
    {"jobs", kShow},
    {"squeue", kShow},
    {"sacct", "muster ps -a lists all jobs, muster describe ID shows one"},
    {"inspect", kShow},
    {"info", "muster nodes shows the nodes, muster describe ID a job"},
    {"sinfo", "muster nodes"},
    {"delete", kStop},
    {"remove", kStop},
    {"scancel", kStop},
    {"apply", kRun},
    {"create", kRun},
    {"start", kRun},
    {"exec", kRun},
    {"sbatch", kRun},
    {"srun", kRun},
    {"attach", "muster logs -f ID"},
    {"log", "muster logs ID"},
    {"tail", "muster logs -f ID"},
    {"restart", "muster rerun ID"},
    {"top", "muster nodes shows what is in use, muster ps what runs"},
}};

struct FlagHabit {
  std::string_view flag;  // without dashes
  std::string_view ours;  // the flag that has to be in the verb's table
  std::string_view hint;
};

constexpr std::array<FlagHabit, 27> kFlags{{
    {"gpus", "devices", "write -g gpu:COUNT: devices on each node"},
    {"gpu", "devices", "write -g gpu:COUNT: devices on each node"},
    {"npus", "devices", "write -g npu:COUNT: devices on each node"},
    {"gres", "devices", "write -g KIND:COUNT: devices on each node"},
    {"gpus-per-node", "devices", "write -g gpu:COUNT: devices on each node"},
    {"cpus", "devices", "write -g cpu:COUNT: slots on each node"},
    {"cpus-per-task", "devices", "write -g cpu:COUNT: slots on each node"},
    {"mem", "memory", "write -m SIZE (--memory): memory of each node"},
    {"n", "ranks", "write -N COUNT for nodes, --ranks COUNT for processes on each node"},
    {"ntasks", "ranks", "write -N COUNT for nodes, --ranks COUNT for processes on each node"},
    {"np", "ranks", "write -N COUNT for nodes, --ranks COUNT for processes on each node"},
    {"ntasks-per-node", "ranks", "write --ranks COUNT: processes on each node"},
    {"nproc_per_node", "ranks", "write --ranks COUNT: processes on each node"},
    {"nnodes", "nodes", "write -N COUNT"},
    {"job-name", "name", "write -J NAME"},
    {"dependency", "after", "write --after ID"},
    {"chdir", "code", "write -C DIR: the folder that is sent and that the command runs in"},
    {"D", "code", "write -C DIR: the folder that is sent and that the command runs in"},
    {"v", "input", "write -i NAME=PATH: a file or folder that the job reads"},
    {"volume", "input", "write -i NAME=PATH: a file or folder that the job reads"},
    {"nice", "priority", "write --priority NUMBER: higher starts first"},
    {"qos", "priority", "write --priority NUMBER: higher starts first"},
    {"array", "sweep", "write --sweep NAME=A,B: one job for each value"},
    {"a", "sweep", "write --sweep NAME=A,B: one job for each value"},
    {"background", "detach", "write -d"},
    {"restart", "retries", "write --retries COUNT"},
    {"selector", "label", "write -l NAME=VALUE"},
}};

}  // namespace

std::string HintForVerb(std::string_view verb) {
  const auto row = std::ranges::find(kVerbs, verb, &VerbHabit::verb);
  return row == kVerbs.end() ? "" : std::string(row->hint);
}

std::string HintForFlag(std::string_view flag, std::span<const Flag> table) {
  for (const FlagHabit& row : kFlags) {
    const auto has = [&](const Flag& one) { return row.ours == one.name; };
    if (row.flag == flag && std::ranges::any_of(table, has)) return std::string(row.hint);
  }
  return {};
}

}  // namespace muster::cli
