#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/record.h"
#include "os/supervisor.h"

namespace muster::engines {

// What is asked about: one node of one attempt whose launcher has ended.
struct AuditTarget {
  std::string group;  // os::NodeGroupName
  std::string mark;   // os::NodeMark
  int launcher_pid = 0;
  uint64_t launcher_start_ticks = 0;  // 0: the launcher is not known
};

// The answer, from the kernel alone: what a record says is not asked, since every process of a job
// can write into it.
struct Audit {
  NodeClean clean;  // of the control group, the marks and the supervisor together
  // Without one either the launcher ended by itself and said so, or its supervisor was killed too.
  std::optional<os::SupervisorReport> supervisor;
  // Whether something lived on when the launcher had ended. One that ends by itself leaves nothing.
  bool outlived() const {
    return clean.found > 0 || (supervisor && supervisor->state != os::Supervision::kEnded);
  }
};

// Kills what is left and looks again, for at most half a minute. Blocks: for the pool.
Audit AuditNode(const AuditTarget& target);

}  // namespace muster::engines
