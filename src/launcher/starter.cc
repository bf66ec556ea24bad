#include "launcher/starter.h"

#include <unistd.h>

#include <algorithm>

#include "os/devices.h"
#include "os/sweep.h"

namespace muster::launcher {
namespace {

// A higher limit does not help training, and programs that close all descriptors one by one would
// hang.
constexpr rlim_t kMostFiles = 1 << 20;

// Disables core files, unless a rank raises the limit; raises open files and locked memory (RDMA,
// pinned buffers) to the hard limits.
std::vector<std::pair<int, rlimit>> TrainingLimits() {
  std::vector<std::pair<int, rlimit>> limits;
  rlimit limit{};
  if (getrlimit(RLIMIT_CORE, &limit) == 0) limits.push_back({RLIMIT_CORE, {0, limit.rlim_max}});
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    const rlim_t soft = std::max(limit.rlim_cur, std::min(limit.rlim_max, kMostFiles));
    limits.push_back({RLIMIT_NOFILE, {soft, limit.rlim_max}});
  }
  if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
    limits.push_back({RLIMIT_MEMLOCK, {limit.rlim_max, limit.rlim_max}});
  return limits;
}

// With a processor for each rank, separate sessions are fastest: each session has its own share of
// the processors (autogroup). With more ranks than processors, sessions would preempt each other
// more often and slow down the rest of the machine; a single rank gains nothing, and a session
// costs more than a short job. Such ranks stay in the session of the launcher.
os::Leads WhatRanksLead(const NodeOrder& order) {
  const size_t ranks = order.ranks.size();
  const bool roomy = ranks > 1 && ranks <= size_t(os::CpuCount());
  return roomy ? os::Leads::kSession : os::Leads::kGroup;
}

}  // namespace

Starter::Starter(const NodeOrder& order, std::optional<os::Cgroup> group, Companions companions)
    : mark_(os::NodeMark(order.token, order.node)),
      attempt_dir_(order.attempt_dir),
      inherited_(Environment::Inherited(environ, order.has_shell_env
                                                     ? Environment::Part::kWithoutShell
                                                     : Environment::Part::kAll)),
      group_(std::move(group)),
      companions_(std::move(companions)),
      group_files_(group_ ? group_->ProcsFiles() : std::vector<os::Path>()),
      limits_(TrainingLimits()),
      leads_(WhatRanksLead(order)) {}

Result<os::Child> Starter::Start(Command command) const {
  command.env.SetEntry(mark_);
  command.env.Set("MUSTER_ATTEMPT_DIR", attempt_dir_);
  companions_.AddTo(command.env);
  return os::Spawn({.argv = std::move(command.argv),
                    .env = command.env.entries(),
                    .cwd = std::move(command.cwd),
                    .stdin_fd = command.stdin_fd,
                    .stdout_fd = command.stdout_fd,
                    .stderr_fd = command.stderr_fd,
                    .cgroup_procs = group_files_,
                    .limits = limits_,
                    .leads = leads_});
}

}  // namespace muster::launcher
