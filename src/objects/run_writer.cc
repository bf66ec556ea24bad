#include "objects/run_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace muster::objects {

Status RunWriter::Write(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), at_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FailErrno(errno, "write an object");
    bytes.remove_prefix(static_cast<size_t>(count));
    at_ += count;
  }
  return {};
}

Status RunWriter::Write(int fd, const s3::SharedPiece& piece) {
  MUSTER_ASSIGN(const bool direct, WriteDirect(fd, piece));
  if (!direct) return Write(fd, piece->bytes());
  at_ += static_cast<int64_t>(piece->size());
  return {};
}

Result<bool> RunWriter::WriteDirect(int fd, const s3::SharedPiece& piece) {
  if (direct_ == nullptr || !DirectWrites::Fits(at_, *piece)) return false;
  if (!pending_) {
    pending_ = DirectWrites::Open(fd);
    if (!pending_) direct_ = nullptr;
    if (!pending_) return false;
    // Writes to preallocated space need not wait for each other. If preallocation fails, the write
    // reports the error.
    if (length_) (void)::fallocate(fd, 0, at_, *length_);
  }
  return direct_->Write(pending_, at_, piece);
}

}  // namespace muster::objects
