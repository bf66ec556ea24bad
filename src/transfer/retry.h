#pragma once

#include <cstdint>

#include "transfer/trouble.h"

namespace muster::transfer {

// The reaction to a failed request.
enum class Remedy {
  kGiveUp,     // the same request will fail again
  kTryAgain,   // after the wait
  kSetClock,   // the clocks differ: sign with the time of the server, then try again
  kNewKeys,    // the credentials expired: read them again, then try again
  kBeginAnew,  // the upload no longer exists or the source changed: restart this object
};

struct Decision {
  Remedy remedy = Remedy::kGiveUp;
  int64_t wait_ms = 0;
};

struct RetryLimits {
  int most_tries = 8;           // of one request
  int64_t first_wait_ms = 100;  // doubles with every attempt
  int64_t longest_wait_ms = 10'000;
};

// Pure. `tries` is the number of attempts so far, at least one; `chance` in [0, 1) spreads the
// waits of the workers. The table is in retry.cc.
Decision Decide(const Trouble& trouble, int tries, double chance, const RetryLimits& limits);

}  // namespace muster::transfer
