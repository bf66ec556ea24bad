#pragma once

#include <string>

#include "base/result.h"
#include "model/order.h"
#include "os/fd.h"
#include "os/file.h"

namespace muster::launcher {

// The files that $MUSTER_METRICS names: <node dir>/metrics/rank<r>.jsonl for a rank, and
// metrics/node.jsonl for other processes of the node (hooks, sessions, daemons of mpirun).
std::string MetricsFolder(const NodeOrder& order);
os::Path MetricsPath(const NodeOrder& order, int rank);

// Makes the empty files, adds the variable to the order, and keeps the folder visible in the
// order's view. Call it before the view is entered.
Status PrepareMetrics(NodeOrder& order);

// One such file as the ranks may treat it: appended to, emptied, replaced, removed, or replaced by
// something that is no regular file.
class MetricsFile {
 public:
  explicit MetricsFile(os::Path path) : path_(std::move(path)) {}

  struct State {
    int file = -1;  // open for reading; -1: nothing to read
    int64_t size = 0;
    bool replaced = false;  // by another file since the last look
  };
  State Look();

 private:
  os::Path path_;
  os::Fd file_;
  uint64_t inode_ = 0;
};

}  // namespace muster::launcher
