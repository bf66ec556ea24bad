#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/shared.h"
#include "model/spec.h"
#include "model/view.h"

namespace muster {

// The order for one launcher: order.json in the node's folder. It is complete: a launcher reads
// nothing else about the job. All paths are absolute.

using Hosts = std::vector<std::pair<std::string, std::string>>;  // address and name
using Aliases = std::vector<std::pair<int, std::string>>;        // node and name

struct OrderFile {
  std::string path;
  Shared<std::string> content;  // shared, because a rank table is equal on all nodes and long
  int mode = 0644;
};

// An HTTP key-value store for the rendezvous of ranks, served while they run.
struct Rendezvous {
  std::string address;
  int port = 0;
  // Served by the launcher of this node; other nodes wait for it before their ranks start.
  bool serve = false;
};

// A script of the platform, run once per node before the setup hook; its failure fails the job.
struct PreStart {
  std::string name;                // "ma-pre-start.sh"
  std::string text;                // executed by /bin/bash
  std::vector<std::string> words;  // $1 and further arguments of the text
};

struct RankOrder {
  int rank = 0;        // in the job
  int local_rank = 0;  // on the node
  std::string role;
  bool service = false;
  std::vector<std::string> argv;
  Pairs env;  // in addition to those of the node
  std::string cwd;
};

struct NodeOrder {
  JobId job = 0;
  int attempt = 1;
  std::string token;  // identifies the attempt; also the mark in the environment of every process
  int node = 0;       // index in the attempt
  int node_count = 1;
  std::string node_name;
  std::string address;
  std::string hostname;     // set in a UTS namespace if `isolate` is set and the kernel permits
  bool isolate = false;     // virtual node: separate host name and hosts file
  Shared<Hosts> hosts;      // of all nodes of the attempt
  Shared<Aliases> aliases;  // additional names
  std::string dir;          // …/attempts/<n>/node<k>
  // …/attempts/<n>, which contains `control` and the folders of other nodes.
  std::string attempt_dir;
  std::string code_dir;  // snapshot that is copied to work/code before the start; empty for none
  std::string work_dir;  // dir/work, or attempt_dir/work
  bool code_per_rank = false;  // copy to work/rank<r> instead
  bool work_shared = false;    // work_dir is the same on all nodes; one of them prepares it
  // Folders in attempt_dir that this attempt takes over from an earlier one; empty: all are new.
  std::vector<std::string> taken_over;
  Pairs local_inputs;                // name, path on this machine; checked before ranks start
  std::vector<OrderFile> files;      // written after the code
  std::vector<std::string> folders;  // created beforehand (outputs)
  std::vector<RankOrder> ranks;      // empty for a node that only serves `muster agent`
  bool agent = false;  // listen on dir/agent.sock for commands from other nodes (mpirun)
  std::optional<Rendezvous> rendezvous;  // of Horovod's ranks
  std::vector<std::string> notes;        // about the plan, for the user
  std::string platform;                  // empty for none; then the following are unused
  std::optional<View> view;
  std::string boot_file;  // must exist in the code; empty for none
  std::optional<PreStart> pre_start;
  Hooks hooks;
  Pairs env;  // of every process on the node, in addition to the inherited environment
  bool has_shell_env = false;  // `env` has the submitter's PATH, PYTHONPATH and so on: those of the
                               // launcher are not inherited (model/shell_env.h: IsShellVariable)
  std::optional<int64_t> memory;
  std::optional<int64_t> time_limit_ms;
  int64_t warning_ms = 0;
  std::string warning_signal;
  int64_t grace_ms = 10'000;
  // Delay after the first rank, to which the others connect when they start.
  int64_t head_start_ms = 0;

  // rank<r>.log and rank<r>.idx are in `dir`.
  std::string LogPath(int rank) const { return dir + "/rank" + std::to_string(rank) + ".log"; }
};

// Identifies what a process permanently becomes by executing this order: nothing (""), or a virtual
// node with this host name and hosts file. It can execute further orders with an equal value. No
// value: the process cannot be reused.
std::optional<std::string> GroundOf(const NodeOrder& order);

// Hosts and aliases, which are equal in the orders of all nodes.
json::object CommonOfNodes(const NodeOrder& order);
void ReadCommonOfNodes(const json::object& object, NodeOrder& order);

json::object ToJsonObject(const NodeOrder& order);
Result<NodeOrder> NodeOrderFromJson(const json::value& value);

}  // namespace muster
