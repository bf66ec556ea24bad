#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/api.h"
#include "cli/interrupts.h"
#include "cli/screen.h"
#include "model/spec.h"

namespace muster::cli {

struct RawLogRequest {
  JobId job = 0;
  int rank = 0;
  std::optional<int> hooks_of_node;  // the output of this node's hooks instead of a rank's log
  int attempt = 1;
  bool one_attempt = false;  // stop at the end of this attempt
  std::optional<int64_t> tail;
  bool follow = false;
  bool safe = false;       // control sequences other than colours are removed: for a terminal
  int64_t retry_ms = 500;  // interval between reconnects
};

// Copies the bytes of a rank's log to standard output. With `follow` it waits for a server that
// went away and goes on with later attempts.
Status CopyRawLog(Api& api, Screen& screen, Interrupts& interrupts, RawLogRequest request);

}  // namespace muster::cli
