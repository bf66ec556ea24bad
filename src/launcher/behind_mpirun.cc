#include "launcher/behind_mpirun.h"

#include <algorithm>
#include <array>

namespace muster::launcher {
namespace {

constexpr std::array<std::string_view, 5> kHasty{"mpirun", "orterun", "orted", "prterun", "prted"};

}  // namespace

std::vector<os::ProcessInfo> BehindMpirun(const std::vector<os::ProcessInfo>& all,
                                          const std::set<pid_t>& groups,
                                          std::string_view own_name) {
  std::set<pid_t> hasty;
  for (const os::ProcessInfo& process : all) {
    if (groups.contains(process.pgid) && std::ranges::find(kHasty, process.comm) != kHasty.end())
      hasty.insert(process.pid);
  }
  std::set<pid_t> behind;
  for (const os::ProcessInfo& process : all) {
    if (hasty.contains(process.ppid) && !groups.contains(process.pgid) && process.comm != own_name)
      behind.insert(process.pgid);
  }
  std::vector<os::ProcessInfo> found;
  std::ranges::copy_if(all, std::back_inserter(found), [&](const os::ProcessInfo& process) {
    return behind.contains(process.pgid);
  });
  return found;
}

}  // namespace muster::launcher
