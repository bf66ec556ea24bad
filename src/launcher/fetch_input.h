#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "launcher/input_cache.h"
#include "model/staging.h"
#include "transfer/stores.h"

namespace muster::launcher {

// The result of placing one input.
struct FetchedInput {
  std::string key;   // of its cache entry
  std::string note;  // for users: "data: 3 files, 4.2 MiB fetched from s3://…"
};

// Receives the progress as text, a few times per second.
using FetchProgress = std::function<void(std::string)>;

// Places the content of an input's URL in its folder: from the cache if it has the current state of
// the source, otherwise from the store. Blocks. After a kill the next call resumes. `once` marks
// files without a version, which only this attempt may use.
Result<FetchedInput> FetchInput(const InputOrder& input, const InputCache& cache,
                                transfer::Stores& stores, const std::string& once,
                                const FetchProgress& progress);

}  // namespace muster::launcher
