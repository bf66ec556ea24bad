// One text for all that is below a prefix, to ask whether it changed without reading it.
#include <fmt/format.h>

#include "objects/object_store.h"

namespace muster::objects {
namespace {

int64_t Nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

}  // namespace

S3Result<std::string> ObjectStore::Stamp(const std::string& bucket, const std::string& prefix) {
  MUSTER_ASSIGN(const Folder folder, OpenBucket(bucket));
  KeyWalk walk(folder, entries_);
  MUSTER_TRY(walk.Seek(prefix));
  s3::Digest digest(s3::DigestKind::kSha256);
  while (true) {
    MUSTER_ASSIGN(const auto key, walk.Next());
    if (!key || !key->starts_with(prefix)) break;
    struct stat info{};
    if (!walk.Look(info)) continue;
    // Metadata in an attribute moves the time of the inode; a length before the key, so that no two
    // lists spell the same text.
    digest.Add(fmt::format("{} {}\n{:x} {:x} {:x} {:x}\n", key->size(), *key, info.st_ino,
                           Nanoseconds(info.st_mtim), Nanoseconds(info.st_ctim), info.st_size));
  }
  return s3::Hex(digest.Finish());
}

}  // namespace muster::objects
