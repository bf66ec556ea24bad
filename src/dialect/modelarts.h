#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialect/platform.h"

namespace muster::dialect {

// ModelArts in both of its generations: "modelarts" is the second, whose jobs live below
// /home/ma-user and get local folders for their data; "modelarts-v1" the first, below /home/work,
// whose scripts get places and copy by themselves. A Python file is started once a card on NPUs;
// everything else, commands above all, once a node.

// Where things are inside. All absolute, none ends in a slash.
struct MaLayout {
  bool v2 = true;
  std::string home;        // /home/ma-user
  std::string mount;       // /home/ma-user/modelarts; the first generation: the same as home
  std::string job_dir;     // mount/user-job-dir
  std::string code_name;   // last part of the code folder's name; empty: no code
  std::string code;        // job_dir/<code_name>, or job_dir without code
  std::string log;         // log files
  std::string workspace;   // folder of the folders of cards
  std::string rank_table;  // the processes' own copy of the table
};
MaLayout LayoutOf(const JobSpec& spec);

// Folders of data, in the order of the job file.
std::string MaInput(const MaLayout& layout, const JobSpec& spec, size_t index);
std::string MaOutput(const MaLayout& layout, const JobSpec& spec, size_t index);

// "modelarts-job-<uuid>", and of one node "…-worker-0".
std::string MaJobName(JobId job);
std::string MaInstance(const JobFacts& facts, int node);

// Where the files with the names of the nodes are.
inline constexpr std::string_view kVolcano = "/etc/volcano";

// The names of the nodes, made once: they are in the variables of every node.
struct MaNames {
  Shared<Aliases> aliases;
  Pairs hosts;                   // VC_WORKER_HOSTS and those of other roles
  std::vector<OrderFile> files;  // the same, a file a role and a line a node
};
MaNames NamesOf(const JobFacts& facts);

// The node's variables of both generations.
void SetMaVariables(const PlatformJob& job, const MaLayout& layout, const MaNames& names,
                    NodeOrder& order);

// One process: its card, its folder.
void SetMaCard(const MaLayout& layout, const RankFacts& rank, NodeOrder& order, RankOrder& process);

// Rank tables: the platform's own in /user/config, and the one that frameworks read.
Status AddMaTables(const PlatformJob& job, const MaLayout& layout, std::vector<NodeOrder>& orders);

// The folders, and the log files under their names there.
View MaView(const PlatformJob& job, const MaLayout& layout, const NodeOrder& order);

// What runs once a node before the processes: the pre-start script beside the boot file.
PreStart MaPreStart(const PlatformJob& job, const MaLayout& layout, const NodeOrder& order);

// What an image of the first generation brings along: functions for the scripts that start its
// commands, and such a script.
std::vector<OrderFile> MaImageFiles(const MaLayout& layout);

}  // namespace muster::dialect
