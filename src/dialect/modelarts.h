#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialect/platform.h"

namespace muster::dialect {

// Both generations of ModelArts: "modelarts" is the second, with jobs below /home/ma-user and local
// folders for data; "modelarts-v1" is the first, below /home/work, whose scripts receive URLs and
// copy themselves. A Python file is started once per card on NPUs; any other command once per node.

// The paths inside the view. All are absolute, without a trailing slash.
struct MaLayout {
  bool v2 = true;
  std::string home;        // /home/ma-user
  std::string mount;       // /home/ma-user/modelarts; in the first generation equal to home
  std::string job_dir;     // mount/user-job-dir
  std::string code_name;   // last component of the code folder; empty without code
  std::string code;        // job_dir/<code_name>, or job_dir without code
  std::string log;         // log files
  std::string workspace;   // parent of the folders of cards
  std::string rank_table;  // the copy of the table for the processes
};
MaLayout LayoutOf(const JobSpec& spec);

// Folders of data, in the order of the job file.
std::string MaInput(const MaLayout& layout, const JobSpec& spec, size_t index);
std::string MaOutput(const MaLayout& layout, const JobSpec& spec, size_t index);

// "modelarts-job-<uuid>"; for one node "…-worker-0".
std::string MaJobName(JobId job);
std::string MaInstance(const JobFacts& facts, int node);

// The folder of the files with the names of the nodes.
inline constexpr std::string_view kVolcano = "/etc/volcano";

// The names of the nodes, computed once for the variables of every node.
struct MaNames {
  Shared<Aliases> aliases;
  Pairs hosts;                   // VC_WORKER_HOSTS and those of other roles
  std::vector<OrderFile> files;  // the same names, one file per role with one line per node
};
MaNames NamesOf(const JobFacts& facts);

// The variables of a node, for both generations.
void SetMaVariables(const PlatformJob& job, const MaLayout& layout, const MaNames& names,
                    NodeOrder& order);

// The card and the folder of one process.
void SetMaCard(const MaLayout& layout, const RankFacts& rank, NodeOrder& order, RankOrder& process);

// Rank tables: the platform's in /user/config, and the one that frameworks read.
Status AddMaTables(const PlatformJob& job, const MaLayout& layout, std::vector<NodeOrder>& orders);

// The folders, and the log files under the platform's names.
View MaView(const PlatformJob& job, const MaLayout& layout, const NodeOrder& order);

// The pre-start script beside the boot file, run once per node before the processes.
PreStart MaPreStart(const PlatformJob& job, const MaLayout& layout, const NodeOrder& order);

// Files of images of the first generation: functions for start scripts, and such a script.
std::vector<OrderFile> MaImageFiles(const MaLayout& layout);

}  // namespace muster::dialect
