#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/spec.h"

namespace muster {

// What is copied from the nodes to the destinations of the job file; one of the files in the node's
// folder: meanwhile.json for copies while ranks run, publication.json for the final copy. All paths
// are absolute.
struct OutputOrder {
  std::string name;
  std::string folder;      // written by the ranks
  std::string to;          // URL of a bucket, or a folder
  int64_t sync_ms = 0;     // interval between looks while ranks run; 0 for none
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
  std::string state;     // final state of the job: "succeeded"; empty while it runs
  std::string data_dir;  // contains endpoint.json of the server
  // Journals of unfinished copies, shared by all launchers that continue them.
  std::string record_dir;
  std::vector<OutputOrder> outputs;
  std::string logs_to;  // empty for none
  std::vector<LogOrder> logs;

  bool empty() const { return outputs.empty() && logs.empty(); }
};

inline constexpr std::string_view kPublicationFile = "publication.json";
inline constexpr std::string_view kMeanwhileFile = "meanwhile.json";

json::object ToJsonObject(const Publication& publication);
Result<Publication> PublicationFromJson(const json::value& value);

}  // namespace muster
