#pragma once

#include <cstdint>

#include "transfer/trouble.h"

namespace muster::transfer {

// What is done about a request that failed.
enum class Remedy {
  kGiveUp,     // the same request will fail again
  kTryAgain,   // after the wait
  kSetClock,   // the server's clock is another: sign by its time, then try again
  kNewKeys,    // the credentials ran out: read them again, then try again
  kBeginAnew,  // what was begun is gone or the source changed: this object from its start
};

struct Decision {
  Remedy remedy = Remedy::kGiveUp;
  int64_t wait_ms = 0;
};

struct RetryLimits {
  int most_tries = 8;           // of one request
  int64_t first_wait_ms = 100;  // doubles with every try
  int64_t longest_wait_ms = 10'000;
};

// Pure. `tries` were made already, at least one; `chance` in [0, 1) spreads the waits of many
// workers. The rows are in retry.cc.
Decision Decide(const Trouble& trouble, int tries, double chance, const RetryLimits& limits);

}  // namespace muster::transfer
