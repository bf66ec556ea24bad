#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "os/file.h"

namespace muster::launcher {

// The state that the fetching process reports to its launcher: fetch.json in the node's folder,
// replaced atomically.
struct FetchReport {
  std::string progress;            // "data: 3 of 10 files, 1.0 MiB of 4.2 MiB"
  std::vector<std::string> notes;  // one for each placed input
  std::vector<std::string> keys;   // the cache entries that the node uses
  std::string error;               // the reason of a failure; empty if there is none
};

os::Path FetchReportPath(const os::Path& node_dir);
Status WriteFetchReport(const os::Path& node_dir, const FetchReport& report);
Result<FetchReport> ReadFetchReport(const os::Path& node_dir);

}  // namespace muster::launcher
