#include "transfer/file_range.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

namespace muster::transfer {
namespace {

constexpr int64_t kAtOnce = 8 << 20;
// Write size for data from a connection. With larger writes ext4 allocates larger pages, which is
// faster with free memory; where a hypervisor has reclaimed memory, 1 GiB takes up to four times as
// long.
constexpr size_t kWriteAtOnce = 128 << 10;

std::unexpected<Error> Shorter(const FileStretch& stretch) {
  return Fail(Code::kConflict,
              fmt::format("{} became shorter while it was copied", Show(stretch.source)),
              "copy it again when nothing writes to it");
}

// `shown()` returns the file name for an error message.
template <typename Shown>
Status WriteBy(size_t step, int fd, std::string_view bytes, int64_t offset, const Shown& shown) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd, bytes.data(), std::min(bytes.size(), step), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return FailErrno(n < 0 ? errno : ENOSPC, "write " + shown());
    bytes.remove_prefix(static_cast<size_t>(n));
    offset += n;
  }
  return {};
}

// Copies through memory and passes the bytes to `see`. Writes pieces of the size that it read, as
// cp does.
template <typename See>
Status CopyBytes(Worker& worker, const FileStretch& stretch, int64_t done, const See& see) {
  while (done < stretch.length) {
    const auto wanted =
        static_cast<size_t>(std::min<int64_t>(std::ssize(worker.buffer), stretch.length - done));
    const int64_t at = stretch.offset + done;
    const ssize_t n = ::pread(stretch.from, worker.buffer.data(), wanted, at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FailErrno(errno, "read " + Show(stretch.source));
    if (n == 0) return Shorter(stretch);
    const std::string_view bytes(worker.buffer.data(), static_cast<size_t>(n));
    see(bytes);
    MUSTER_TRY(WriteBy(bytes.size(), stretch.to, bytes, at, [&] { return Show(stretch.target); }));
    done += n;
    if (!worker.session.Moved(n)) return Fail(Code::kConflict, "the copy was stopped");
  }
  return {};
}

}  // namespace

Status FilledFile::WriteAt(int fd, std::string_view bytes, int64_t offset,
                           const std::string& shown) {
  const MutexLock lock(turn_);
  return WriteBy(kWriteAtOnce, fd, bytes, offset, [&] { return shown; });
}

Outcome<void> CopyStretch(Worker& worker, const FileStretch& stretch) {
  int64_t done = 0;
  while (done < stretch.length) {
    off_t from = stretch.offset + done, to = from;
    const auto step = static_cast<size_t>(std::min(stretch.length - done, kAtOnce));
    const ssize_t n = ::copy_file_range(stretch.from, &from, stretch.to, &to, step, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == ENOSPC || errno == EDQUOT)) {
      MUSTER_TRY(Status(FailErrno(errno, "copy to " + Show(stretch.target))));
    }
    // Not supported between these files, or end of file; the copy through memory distinguishes
    // them.
    if (n <= 0) break;
    done += n;
    if (!worker.session.Moved(n)) {
      MUSTER_TRY(Status(Fail(Code::kConflict, "the copy was stopped")));
    }
  }
  MUSTER_TRY(CopyBytes(worker, stretch, done, [](std::string_view) {}));
  return {};
}

Outcome<std::string> CopyAndSum(Worker& worker, const FileStretch& stretch, s3::DigestKind kind) {
  s3::Digest digest(kind);
  MUSTER_TRY(CopyBytes(worker, stretch, 0, [&](std::string_view bytes) { digest.Add(bytes); }));
  return digest.Finish();
}

}  // namespace muster::transfer
