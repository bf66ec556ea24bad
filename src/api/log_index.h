#pragma once

#include <cstdint>
#include <optional>

#include "api/log_file.h"

namespace muster::api {

// The times of a rank's log: rank<r>.idx with lines "<wall_ms> <size>", ordered by both. The bytes
// in front of `size` were written before `wall_ms`. Lookups read a few blocks, however long it is.
class LogIndex {
 public:
  struct Entry {
    int64_t wall_ms = 0;
    int64_t size = 0;
  };

  LogIndex() = default;
  explicit LogIndex(os::Path path) : file_(std::move(path)) {}

  // The look that saw the byte at `offset`; nothing when it is too new.
  Result<std::optional<Entry>> At(int64_t offset);
  // Where the bytes begin that were written since `wall_ms`.
  Result<int64_t> OffsetSince(int64_t wall_ms);
  void Close() { file_.Close(); }

 private:
  struct Line {
    Entry entry;
    int64_t begin = 0, end = 0;  // in the file
  };
  Result<std::optional<Line>> LineFrom(int64_t offset, bool whole);
  template <typename Before>
  Result<std::optional<Line>> FirstNot(Before before);

  LogFile file_;
};

}  // namespace muster::api
