#pragma once

#include <sys/resource.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/companions.h"
#include "launcher/environment.h"
#include "model/order.h"
#include "os/cgroup.h"
#include "os/spawn.h"

namespace muster::launcher {

// Starts every process of a node (rank, hook, agent command) in the same way: in the control group
// of the node if available, in a new session, with the mark of the node in its environment, and
// with the limits that training needs. One sweep therefore finds all of them.
class Starter {
 public:
  Starter(const NodeOrder& order, std::optional<os::Cgroup> group, Companions companions);

  struct Command {
    std::vector<std::string> argv;
    Environment env;
    os::Path cwd;
    int stdin_fd = -1;  // -1 for /dev/null, as in os::SpawnOptions
    int stdout_fd = -1;
    int stderr_fd = -1;
  };
  Result<os::Child> Start(Command command) const;

  // The initial environment of every process of the node.
  const Environment& inherited() const { return inherited_; }
  const os::Cgroup* group() const { return group_ ? &*group_ : nullptr; }

 private:
  const std::string mark_;
  const std::string attempt_dir_;
  const Environment inherited_;
  const std::optional<os::Cgroup> group_;
  const Companions companions_;
  const std::vector<os::Path> group_files_;
  const std::vector<std::pair<int, rlimit>> limits_;
  const os::Leads leads_;
};

}  // namespace muster::launcher
