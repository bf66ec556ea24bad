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

// The order that one launcher carries out: order.json in the node's folder. Complete: a launcher
// reads nothing else of the job. All paths absolute.

using Hosts = std::vector<std::pair<std::string, std::string>>;  // address, name
using Aliases = std::vector<std::pair<int, std::string>>;        // node, name

struct OrderFile {
  std::string path;
  Shared<std::string> content;  // a rank table is the same on all nodes, and long
  int mode = 0644;
};

// A key-value store over HTTP at which ranks find each other, served while they live.
struct Rendezvous {
  std::string address;
  int port = 0;
  bool serve = false;  // by this node's launcher; the others wait for it before their ranks start
};

// A step of the platform's own, once a node before the setup hook; its failure is the job's.
struct PreStart {
  std::string name;                // "ma-pre-start.sh"
  std::string text;                // for /bin/bash
  std::vector<std::string> words;  // $1 and so on in the text
};

struct RankOrder {
  int rank = 0;        // over the whole job
  int local_rank = 0;  // on this node
  std::string role;
  bool service = false;
  std::vector<std::string> argv;
  Pairs env;  // on top of the node's
  std::string cwd;
};

struct NodeOrder {
  JobId job = 0;
  int attempt = 1;
  std::string token;  // names the attempt for good; also the mark in every rank's environment
  int node = 0;       // index in the attempt
  int node_count = 1;
  std::string node_name;
  std::string address;
  std::string hostname;        // set in a UTS namespace when `isolate` and the kernel allow it
  bool isolate = false;        // virtual node: own host name and hosts file
  Shared<Hosts> hosts;         // all nodes of the attempt
  Shared<Aliases> aliases;     // further names of them
  std::string dir;             // …/attempts/<n>/node<k>
  std::string attempt_dir;     // …/attempts/<n>: `control` and the other nodes' folders are here
  std::string code_dir;        // snapshot to copy into work/code before anything runs; empty: none
  std::string work_dir;        // dir/work, or attempt_dir/work
  bool code_per_rank = false;  // copy into work/rank<r> instead
  bool work_shared = false;    // work_dir is the same on all nodes; one of them prepares it
  // Folders in attempt_dir that this attempt takes over from an earlier one; empty: all are new.
  std::vector<std::string> taken_over;
  Pairs local_inputs;                // name, path on this machine; checked before ranks start
  std::vector<OrderFile> files;      // written after the code is there
  std::vector<std::string> folders;  // made beforehand (outputs)
  std::vector<RankOrder> ranks;      // may be empty: a node that only serves `muster agent`
  bool agent = false;  // listens on dir/agent.sock for commands from other nodes (mpirun)
  std::optional<Rendezvous> rendezvous;  // Horovod's ranks meet here
  std::vector<std::string> notes;        // what a person should know of the plan, said once
  std::string platform;                  // empty: none of the following
  std::optional<View> view;
  std::string boot_file;  // must be there when the code is; empty: none
  std::optional<PreStart> pre_start;
  Hooks hooks;
  Pairs env;  // of every process on the node, on top of the launcher's inherited environment
  bool has_shell_env = false;  // `env` has the submitter's PATH, PYTHONPATH and so on: those of the
                               // launcher are not inherited (model/shell_env.h: IsShellVariable)
  std::optional<int64_t> memory;
  std::optional<int64_t> time_limit_ms;
  int64_t warning_ms = 0;
  std::string warning_signal;
  int64_t grace_ms = 10'000;
  int64_t head_start_ms = 0;  // of the first rank, which the others look for as soon as they run

  // rank<r>.log and rank<r>.idx stand in `dir`.
  std::string LogPath(int rank) const { return dir + "/rank" + std::to_string(rank) + ".log"; }
};

// What a process becomes for good by carrying out this order: nothing (""), or a virtual node with
// this host name and hosts file. It can carry out further orders of the same ground. Without a
// value it becomes something that no other order can use.
std::optional<std::string> GroundOf(const NodeOrder& order);

// Hosts and aliases, which are the same in the orders of all nodes.
json::object CommonOfNodes(const NodeOrder& order);
void ReadCommonOfNodes(const json::object& object, NodeOrder& order);

json::object ToJsonObject(const NodeOrder& order);
Result<NodeOrder> NodeOrderFromJson(const json::value& value);

}  // namespace muster
