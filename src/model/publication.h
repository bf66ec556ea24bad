#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/spec.h"

namespace muster {

// What is taken from the nodes to where the job file wants it, in one of the files that an order
// puts into the node's folder: meanwhile.json of a node that runs ranks says what is copied while
// they do, publication.json of one that publishes what must be there in the end. All paths
// absolute.
struct OutputOrder {
  std::string name;
  std::string folder;      // what the ranks wrote
  std::string to;          // a bucket's URL, or a folder
  int64_t sync_ms = 0;     // between two looks while ranks run; 0: none
  bool overwrite = false;  // replaces the complete result of another job
};

struct LogOrder {
  std::string path;
  std::string name;  // at the destination
};

struct Publication {
  JobId job = 0;
  int attempt = 1;
  std::string job_name;
  std::string state;       // how the job ended: "succeeded"; empty while it runs
  std::string data_dir;    // endpoint.json of the server is here
  std::string record_dir;  // of copies that are not through; the same for all who go on with them
  std::vector<OutputOrder> outputs;
  std::string logs_to;  // empty: nowhere
  std::vector<LogOrder> logs;

  bool empty() const { return outputs.empty() && logs.empty(); }
};

inline constexpr std::string_view kPublicationFile = "publication.json";
inline constexpr std::string_view kMeanwhileFile = "meanwhile.json";

json::object ToJsonObject(const Publication& publication);
Result<Publication> PublicationFromJson(const json::value& value);

}  // namespace muster
