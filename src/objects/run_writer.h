#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "objects/direct_writes.h"

namespace muster::objects {

// Bytes that go to a file one behind the other, while they come. One thread at a time.
class RunWriter {
 public:
  // `direct`, which outlives it: for what will be synced. Null: nothing will be, and the system is
  // left to write when it likes. `length`: of the whole run, where it is known.
  explicit RunWriter(DirectWrites* direct, std::optional<int64_t> length = {}, int64_t start = 0)
      : direct_(direct), at_(start), length_(length) {}

  Status Write(int fd, std::string_view bytes);
  // Perhaps later: only when `pending` has settled it is in the file.
  Status Write(int fd, const s3::SharedPiece& piece);

  int64_t at() const { return at_; }  // where the next byte goes
  const std::shared_ptr<DirectWrites::File>& pending() const { return pending_; }  // null: none

 private:
  Result<bool> WriteDirect(int fd, const s3::SharedPiece& piece);

  DirectWrites* direct_;
  int64_t at_;
  std::optional<int64_t> length_;
  std::shared_ptr<DirectWrites::File> pending_;  // shared with the threads that write
};

}  // namespace muster::objects
