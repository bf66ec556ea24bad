#pragma once

#include <fcntl.h>

#include <cstdint>

namespace muster::objects {

// Has a large run of bytes in a file written to disk while more of it comes, so that the sync at
// its end is short. Where nothing will be synced the system is left to write when it likes.
class WriteBehind {
 public:
  explicit WriteBehind(bool will_sync, int64_t start = 0)
      : will_sync_(will_sync), begun_(start), end_(start) {}

  // The next `count` bytes of the run are in the file.
  void Wrote(int fd, int64_t count) {
    end_ += count;
    if (!will_sync_ || end_ - begun_ < kStep) return;
    (void)::sync_file_range(fd, begun_, end_ - begun_, SYNC_FILE_RANGE_WRITE);
    begun_ = end_;
  }

 private:
  static constexpr int64_t kStep = 8 << 20;

  bool will_sync_;
  int64_t begun_, end_;
};

}  // namespace muster::objects
