#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "objects/direct_writes.h"

namespace muster::objects {

// Writes consecutive bytes to a file as they arrive. One thread at a time.
class RunWriter {
 public:
  // `direct`, which outlives it, for files that will be synced. Null without sync: the kernel
  // writes when it likes. `length` of the whole run, if known.
  explicit RunWriter(DirectWrites* direct, std::optional<int64_t> length = {}, int64_t start = 0)
      : direct_(direct), at_(start), length_(length) {}

  Status Write(int fd, std::string_view bytes);
  // Possibly delayed: the bytes are in the file after `pending` has settled.
  Status Write(int fd, const s3::SharedPiece& piece);

  int64_t at() const { return at_; }  // the position of the next byte
  const std::shared_ptr<DirectWrites::File>& pending() const { return pending_; }  // may be null

 private:
  Result<bool> WriteDirect(int fd, const s3::SharedPiece& piece);

  DirectWrites* direct_;
  int64_t at_;
  std::optional<int64_t> length_;
  std::shared_ptr<DirectWrites::File> pending_;  // shared with the writing threads
};

}  // namespace muster::objects
