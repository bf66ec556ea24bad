#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "os/file.h"

namespace muster::launcher {

// What the process that fetches a node's inputs tells its launcher: fetch.json in the node's
// folder, replaced as a whole.
struct FetchReport {
  std::string progress;            // "data: 3 of 10 files, 1.0 MiB of 4.2 MiB"
  std::vector<std::string> notes;  // one for each input that is in place
  std::vector<std::string> keys;   // entries of the cache that the node uses
  std::string error;               // why it cannot be done; empty: nothing is wrong so far
};

os::Path FetchReportPath(const os::Path& node_dir);
Status WriteFetchReport(const os::Path& node_dir, const FetchReport& report);
Result<FetchReport> ReadFetchReport(const os::Path& node_dir);

}  // namespace muster::launcher
