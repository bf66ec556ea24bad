#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/spec.h"

namespace muster::dialect {

// What the key of a job's attempt may do in the server's object store: use every key of the bucket
// that begins with the prefix.
struct StoreGrant {
  std::string bucket;  // "*": every one
  std::string prefix;  // empty: the whole bucket
  bool write = false;  // includes reading
  bool operator==(const StoreGrant&) const = default;
};

// Inputs and code may be read, outputs and logs written, and `store` is granted as it says. A job
// without `store` may also use every bucket that its parameters, variables and commands name. Pure.
std::vector<StoreGrant> StoreGrantsOf(const JobSpec& spec, JobId job);

// The buckets of all s3:// and obs:// addresses in a text. Pure.
std::set<std::string> BucketsNamedIn(std::string_view text);

}  // namespace muster::dialect
