#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "model/spec.h"
#include "os/fd.h"
#include "os/file.h"

namespace muster::store {

// The largest numbers that were ever acknowledged.
struct HighWater {
  JobId job = 0;
  int64_t event = 0;
};

// journal.mark: the high-water mark of the journal, in a file of its own, so that a journal that
// has lost its end, or everything, is noticed. It never runs ahead of the journal: it is written
// after a commit that has reached the disk, and before that is acknowledged. It is synced once a
// second at most; a power cut may leave an older mark, which only notices less.
class HighWaterMark {
 public:
  // The file is made when there is none.
  static Result<HighWaterMark> Open(const os::Path& file);
  // What the file says; nothing when there is none, or it fails its check sum.
  static std::optional<HighWater> Read(const os::Path& file);

  // In place, with one write of fixed length: it needs no space on the disk.
  Status Write(const HighWater& now);
  void SyncIfDue(int64_t steady_ms);
  const os::Path& path() const { return path_; }

 private:
  HighWaterMark(os::Path path, os::Fd file) : path_(std::move(path)), file_(std::move(file)) {}

  os::Path path_;
  os::Fd file_;
  bool dirty_ = false;
  int64_t synced_ms_ = 0;
};

}  // namespace muster::store
