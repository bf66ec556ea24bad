#include "objects/file_copy.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace muster::objects {
namespace {

constexpr int64_t kAtOnce = 1 << 20;

std::unexpected<Error> TooShort() {
  return Fail(Code::kCorrupt, "a file that was copied had fewer bytes than it should");
}

Status WriteAt(int fd, int64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FailErrno(errno, "write a copy");
    bytes.remove_prefix(static_cast<size_t>(count));
    offset += count;
  }
  return {};
}

Status CopyThroughMemory(int from, int64_t from_offset, int to, int64_t to_offset, int64_t length,
                         const std::function<void(std::string_view)>& see) {
  std::string buffer(static_cast<size_t>(std::min(length, kAtOnce)), 0);
  while (length > 0) {
    const auto want = static_cast<size_t>(std::min(length, kAtOnce));
    const ssize_t count = ::pread(from, buffer.data(), want, from_offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FailErrno(errno, "read what is copied");
    if (count == 0) return TooShort();
    const std::string_view piece(buffer.data(), static_cast<size_t>(count));
    see(piece);
    MUSTER_TRY(WriteAt(to, to_offset, piece));
    from_offset += count;
    to_offset += count;
    length -= count;
  }
  return {};
}

}  // namespace

Status CopyBytes(int from, int64_t from_offset, int to, int64_t to_offset, int64_t length) {
  while (length > 0) {
    off_t source = from_offset, target = to_offset;
    const ssize_t count =
        ::copy_file_range(from, &source, to, &target, static_cast<size_t>(length), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == ENOSPC || errno == EIO || errno == EDQUOT)) {
      return FailErrno(errno, "copy an object");
    }
    if (count < 0) {
      return CopyThroughMemory(from, from_offset, to, to_offset, length, [](std::string_view) {});
    }
    if (count == 0) return TooShort();
    from_offset += count;
    to_offset += count;
    length -= count;
  }
  return {};
}

Result<BodySums> CopyAndSum(int from, int64_t from_offset, int to, int64_t to_offset,
                            int64_t length, std::optional<s3::DigestKind> checksum) {
  s3::Digest md5(s3::DigestKind::kMd5);
  std::optional<s3::Digest> second;
  if (checksum) second.emplace(*checksum);
  MUSTER_TRY(
      CopyThroughMemory(from, from_offset, to, to_offset, length, [&](std::string_view piece) {
        md5.Add(piece);
        if (second) second->Add(piece);
      }));
  BodySums sums{.size = length, .md5 = md5.Finish()};
  if (second) sums.checksum = s3::Checksum{*checksum, s3::Base64(second->Finish())};
  return sums;
}

}  // namespace muster::objects
