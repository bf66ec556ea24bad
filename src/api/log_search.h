#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/file.h"

namespace muster::api {

struct LogSearch {
  std::string text;
  bool regex = false;  // `text` is a POSIX extended regular expression, with \\d for [0-9]
  bool ignore_case = false;
  int64_t offset = 0;  // where to begin, at the beginning of a line
  int limit = 100;     // hits
  int64_t budget_ms = 300;
};

// One line with a match. `text` is the part of the line around the first match.
struct LogHit {
  int64_t offset = 0;
  std::string text;
};

struct LogHits {
  std::vector<LogHit> hits;
  std::optional<int64_t> next;  // where to go on; nothing at the end of the file
};

// Finds lines in a log file of any size. It ends after `limit` hits or `budget_ms`, so that it
// holds a thread for a short time only. A file that is not there has no hits.
Result<LogHits> SearchLog(const os::Path& file, const LogSearch& search);

}  // namespace muster::api
