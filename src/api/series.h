#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "api/log_file.h"
#include "base/json.h"
#include "metrics/progress.h"

namespace muster::api {

// The numbers that a node's launcher read from its ranks' logs: node<k>/series, a JSON object a
// line. Lines that are not as expected are passed over.
using LatestValues = std::map<int, metrics::Values>;  // by rank

// Reads on from where it stands, at the end of what was there in the beginning: of a long series
// only the latest is of use to someone who looks now.
class Series {
 public:
  Series() = default;
  explicit Series(os::Path path) : file_(std::move(path)) {}

  // The latest values of each rank in the next part; `more` says whether there is another part.
  LatestValues Read(bool& more);
  void Close() { file_.Close(); }
  const os::Path& path() const { return file_.path(); }

 private:
  bool Begin();

  LogFile file_;
  std::optional<int64_t> offset_;
};

// What progress events and GET /jobs/{id} show: attempt, rank, values, text.
json::object ProgressJson(int attempt, int rank, const metrics::Values& values);

}  // namespace muster::api
