#include "cli/rank_links.h"

#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "os/process_table.h"
#include "os/tcp_links.h"

namespace muster::cli {
namespace {

std::optional<int> RankOf(pid_t pid) {
  for (const char* name : {"MUSTER_RANK", "RANK", "RANK_ID", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
                           "HOROVOD_RANK", "PADDLE_TRAINER_ID", "MS_NODE_ID"}) {
    const auto value = os::VariableOf(pid, name);
    const auto rank = value ? ParseInt(*value) : std::nullopt;
    if (rank && *rank >= 0 && *rank < 1'000'000) return int(*rank);
  }
  return std::nullopt;
}

}  // namespace

RanksNow LookAtRanks(const std::string& job_folder) {
  std::map<pid_t, int> rank_of;
  std::vector<pid_t> pids;
  std::set<int> running;
  for (const os::ProcessInfo& process : os::ProcessesMarked("MUSTER_JOB_DIR=" + job_folder)) {
    const auto rank = RankOf(process.pid);
    if (!rank) continue;
    rank_of[process.pid] = *rank;
    pids.push_back(process.pid);
    running.insert(*rank);
  }
  RanksNow now;
  now.running = int(running.size());
  for (const auto& [a, b] : os::TcpLinks(pids))
    if (rank_of[a] != rank_of[b]) now.links.emplace_back(rank_of[a], rank_of[b]);
  return now;
}

}  // namespace muster::cli
