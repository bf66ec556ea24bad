#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "api/log_file.h"
#include "base/json.h"
#include "metrics/measured.h"

namespace muster::api {

// The values that a node's launcher read from its ranks: node<k>/series, one JSON object per line.
// Other lines are ignored.
using LatestValues = std::map<int, metrics::Measured>;  // by rank

// Reads a series file from its last lines on, and then what is appended.
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
json::object ProgressJson(int attempt, int rank, const metrics::Measured& measured);

}  // namespace muster::api
