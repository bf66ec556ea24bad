#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace muster {

// What is brought to a node before anything of the job runs, once for all of its ranks:
// staging.json, one of the files that an order puts into the node's folder. All paths absolute.
struct InputOrder {
  std::string name;  // empty: the code
  std::string url;
  std::string folder;  // …/attempts/<n>/inputs/<name>: what it stands for is put in there
  std::string leaf;    // under this name; empty: what lies below the URL, without a name of its own

  std::string_view shown() const { return name.empty() ? std::string_view("code") : name; }
};

// Where something goes when the job has ended, looked at before it begins.
struct Destination {
  std::string name;        // of the output; empty: the logs
  std::string url;         // in a bucket, or a folder
  bool overwrite = false;  // replaces the complete result of another job
};

struct Staging {
  std::string token;        // of the attempt
  std::string attempt_dir;  // …/attempts/<n>
  std::string data_dir;     // endpoint.json of the server is here, and cache/inputs
  int64_t cache_limit = 0;  // bytes; 0: a share of the disk
  std::vector<InputOrder> inputs;
  std::vector<Destination> destinations;
};

inline constexpr std::string_view kStagingFile = "staging.json";

json::object ToJsonObject(const Staging& staging);
Result<Staging> StagingFromJson(const json::value& value);

}  // namespace muster
