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
  int attempt = 1;
  bool one_attempt = false;  // do not go on with the next attempt
  std::optional<int64_t> tail;
  bool follow = false;
  int64_t retry_ms = 500;  // between two looks for a server that went away
};

// Copies a rank's very bytes to standard output, as they come and without looking at them. Goes on
// through absences of the server and into later attempts when it follows.
Status CopyRawLog(Api& api, Screen& screen, Interrupts& interrupts, RawLogRequest request);

}  // namespace muster::cli
