#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "launcher/input_cache.h"
#include "model/staging.h"
#include "transfer/stores.h"

namespace muster::launcher {

// How one input came to be in its place.
struct FetchedInput {
  std::string key;   // of its cache entry
  std::string note;  // for people: "data: 3 files, 4.2 MiB fetched from s3://…"
};

// Hears how far it is, a few times a second, in words.
using FetchProgress = std::function<void(std::string)>;

// Puts what an input's URL stands for into its folder, out of the cache or, when the cache does not
// have it as the source is now, out of the store. Blocks; a kill at any instant leaves what the
// next one goes on with. `once` marks what comes without a sign of its version, which only this
// attempt may use.
Result<FetchedInput> FetchInput(const InputOrder& input, const InputCache& cache,
                                transfer::Stores& stores, const std::string& once,
                                const FetchProgress& progress);

}  // namespace muster::launcher
