#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace muster {

// What is placed on a node before the ranks start, once for all ranks: staging.json in the node's
// folder. All paths are absolute.
struct InputOrder {
  std::string name;  // empty for the code
  std::string url;
  std::string folder;  // …/attempts/<n>/inputs/<name>, which receives the content
  std::string leaf;    // the name inside; empty to place everything below the URL directly

  std::string_view shown() const { return name.empty() ? std::string_view("code") : name; }
};

// A destination that is checked before the job starts.
struct Destination {
  std::string name;        // of the output; empty for the logs
  std::string url;         // in a bucket, or a folder
  bool overwrite = false;  // replaces the complete result of another job
};

struct Staging {
  std::string token;        // of the attempt
  std::string attempt_dir;  // …/attempts/<n>
  std::string data_dir;     // contains endpoint.json of the server, and cache/inputs
  int64_t cache_limit = 0;  // bytes; 0 for a share of the disk
  std::vector<InputOrder> inputs;
  std::vector<Destination> destinations;
};

inline constexpr std::string_view kStagingFile = "staging.json";

json::object ToJsonObject(const Staging& staging);
Result<Staging> StagingFromJson(const json::value& value);

}  // namespace muster
