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

// Passes the bytes to `take` piece by piece, with their offset from the start.
Status ReadPieces(int file, int64_t offset, int64_t length,
                  const std::function<Status(std::string_view, int64_t)>& take) {
  std::string buffer(static_cast<size_t>(std::min(length, kAtOnce)), 0);
  for (int64_t done = 0; done < length;) {
    const auto want = static_cast<size_t>(std::min(length - done, kAtOnce));
    const ssize_t count = ::pread(file, buffer.data(), want, offset + done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FailErrno(errno, "read an object");
    if (count == 0) return TooShort();
    MUSTER_TRY(take(std::string_view(buffer.data(), static_cast<size_t>(count)), done));
    done += count;
  }
  return {};
}

Status CopyThroughMemory(int from, int64_t from_offset, int to, int64_t to_offset, int64_t length,
                         const std::function<void(std::string_view)>& see) {
  return ReadPieces(from, from_offset, length, [&](std::string_view piece, int64_t at) {
    see(piece);
    return WriteAt(to, to_offset + at, piece);
  });
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

Result<std::string> DigestOfBytes(int file, int64_t offset, int64_t length, s3::DigestKind kind) {
  s3::Digest digest(kind);
  MUSTER_TRY(ReadPieces(file, offset, length, [&](std::string_view piece, int64_t) {
    digest.Add(piece);
    return Status();
  }));
  return digest.Finish();
}

}  // namespace muster::objects
