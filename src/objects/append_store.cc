// Appends to objects. The bytes are written behind the end that the metadata records, and the
// metadata afterwards: an interruption leaves the object unchanged.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <future>

#include "base/text.h"
#include "objects/file_copy.h"
#include "objects/object_store.h"
#include "objects/placement.h"

namespace muster::objects {
namespace {

constexpr int64_t kLargestAppended = int64_t(5) << 30;

// Not the MD5 of the bytes, which would have to be read again, but of the MD5s of the pieces, and
// their number.
std::string GrownEtag(const std::string& before, const std::string& piece_md5) {
  const size_t dash = before.rfind('-');
  const int64_t pieces =
      dash == std::string::npos ? 1 : ParseInt(before.substr(dash + 1)).value_or(1);
  return s3::Hex(s3::DigestOf(s3::DigestKind::kMd5, before + s3::Hex(piece_md5))) + "-" +
         std::to_string(pieces + 1);
}

S3Status Sync(int fd, bool wanted) {
  if (!wanted || ::fsync(fd) == 0) return {};
  return std::unexpected(S3Error(FailErrno(errno, "sync an object to disk").error()));
}

bool IsStill(const Folder& bucket, const std::string& key, const struct stat& file) {
  const auto now = OpenPlaced(bucket, key, O_RDONLY);
  return now && now->info.st_dev == file.st_dev && now->info.st_ino == file.st_ino;
}

}  // namespace

S3Result<ObjectMeta> ObjectStore::Append(const std::string& bucket, const std::string& key,
                                         int64_t position, TempFile piece,
                                         const std::string& piece_md5, ObjectMeta meta) {
  const MutexLock lock(appends_);
  const int64_t length = piece.size();
  MUSTER_ASSIGN(const Folder folder, OpenBucket(bucket));
  auto placed = OpenPlaced(folder, key, O_RDWR);
  if (!placed && placed.error().code != S3Code::kNoSuchKey) {
    return std::unexpected(placed.error());
  }
  if (!placed) {
    if (position != 0) return Refuse(S3Code::kPositionNotEqualToLength);
    meta.appendable = true;
    meta.size = length;
    meta.etag = s3::Hex(piece_md5) + "-1";
    std::promise<S3Result<ObjectMeta>> promise;
    Put(bucket, key, std::move(piece), std::move(meta), {.if_none_match = "*"},
        [&](S3Result<ObjectMeta> put) { promise.set_value(std::move(put)); });
    return promise.get_future().get();
  }
  const int file = placed->fd.get();
  ObjectMeta now = meta_.Load(file, placed->info);
  if (!now.appendable) return Refuse(S3Code::kObjectNotAppendable);
  if (position != now.size) return Refuse(S3Code::kPositionNotEqualToLength);
  if (now.size + length > kLargestAppended) return Refuse(S3Code::kAppendTooLarge);
  // Bytes behind the recorded end are from a killed server and were not acknowledged.
  if (::ftruncate(file, now.size) != 0) {
    return std::unexpected(S3Error(FailErrno(errno, "cut an object to its length").error()));
  }
  meta_.Forget(file);
  MUSTER_TRY(CopyBytes(piece.fd(), 0, file, now.size, length));
  MUSTER_TRY(Sync(file, commits_.syncs()));
  now.size += length;
  now.etag = GrownEtag(now.etag, piece_md5);
  now.checksum.reset();
  std::vector<os::Fd> beside;
  {
    // Another request may have removed or replaced the object meanwhile; then nothing is appended.
    const MutexLock places(places_);
    if (!IsStill(folder, key, placed->info)) return Refuse(S3Code::kConditionalRequestConflict);
    MUSTER_ASSIGN(beside, meta_.Attach(file, now));
  }
  for (const os::Fd& one : beside) MUSTER_TRY(Sync(one.get(), commits_.syncs()));
  MUSTER_TRY(Sync(file, commits_.syncs()));
  return now;
}

}  // namespace muster::objects
