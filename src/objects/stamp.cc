// A text that changes with anything below a prefix, without reading the objects.
#include <cstring>

#include "objects/object_store.h"

namespace muster::objects {
namespace {

constexpr size_t kWorthAdding = 32 << 10;

int64_t Nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

// Raw bytes, because formatting ten thousand numbers is slow.
void AddNumbers(std::string& text, std::initializer_list<int64_t> numbers) {
  for (const int64_t number : numbers) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    text.append(bytes, sizeof bytes);
  }
}

}  // namespace

S3Result<std::string> ObjectStore::Stamp(const std::string& bucket, const std::string& prefix) {
  MUSTER_ASSIGN(const Folder folder, OpenBucket(bucket));
  KeyWalk walk(folder, entries_);
  MUSTER_TRY(walk.Seek(prefix));
  s3::Digest digest(s3::DigestKind::kSha256);
  std::string text;
  while (true) {
    MUSTER_ASSIGN(const auto key, walk.Next());
    if (!key || !key->starts_with(prefix)) break;
    struct stat info{};
    if (!walk.Look(info)) continue;
    // Metadata in an attribute changes the time of the inode. The length before the key makes the
    // text unambiguous.
    AddNumbers(text, {std::ssize(*key), int64_t(info.st_ino), Nanoseconds(info.st_mtim),
                      Nanoseconds(info.st_ctim), info.st_size});
    text += *key;
    if (text.size() < kWorthAdding) continue;
    digest.Add(text);
    text.clear();
  }
  digest.Add(text);
  return s3::Hex(digest.Finish());
}

}  // namespace muster::objects
