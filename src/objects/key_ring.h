#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/thread_annotations.h"
#include "os/file.h"

namespace muster::objects {

// The permissions of a key: buckets and prefixes.
struct Grant {
  std::string bucket;  // "*" for all buckets, including creating and listing them
  std::string prefix;  // key prefix; empty for all keys
  bool write = false;
};

struct KeyPair {
  std::string access_key, secret_key;
  std::string user;
  std::vector<Grant> grants;
  bool lent = false;  // of a job's attempt: it never manages keys

  bool MayRead(std::string_view bucket, std::string_view key) const;
  bool MayWrite(std::string_view bucket, std::string_view key) const;
  // A listing of buckets shows names only, so a grant for the prefix is required.
  bool MayUseAllBuckets(bool write) const;
  bool MaySeeBucket(std::string_view bucket) const;  // a grant covers the bucket
};

// The key pairs of a store, kept in one file (docs/formats/object_store.md) that only its owner can
// read, and those that are lent to running jobs, which are in memory alone. Changes of the file by
// hand count at once; a file that cannot be read leaves what was known. Any thread.
class KeyRing {
 public:
  // Creates the file with one key with all permissions if it does not exist.
  static Result<std::unique_ptr<KeyRing>> Open(os::Path file);

  std::shared_ptr<const KeyPair> Find(std::string_view access_key) EXCLUDES(mutex_);
  KeyPair First() const EXCLUDES(mutex_);
  // On disk when it returns. Replaces the key with the same access key id.
  Status Add(KeyPair pair) EXCLUDES(mutex_);
  Status Remove(std::string_view access_key) EXCLUDES(mutex_);
  std::vector<KeyPair> All() const EXCLUDES(mutex_);  // those of the file

  // A pair that is valid until it is taken back or the process ends. `grants` is called once, when
  // the pair is first used, on the thread of that request.
  void Lend(KeyPair pair, std::function<std::vector<Grant>()> grants) EXCLUDES(mutex_);
  void TakeBack(const std::string& access_key) EXCLUDES(mutex_);

 private:
  explicit KeyRing(os::Path file) : file_(std::move(file)) {}
  struct Version {
    uint64_t inode = 0;
    int64_t mtime_ns = 0, size = 0;
    bool operator==(const Version&) const = default;
  };

  struct Lent {
    KeyPair pair;
    std::function<std::vector<Grant>()> grants;
    std::once_flag first_use;
    std::shared_ptr<const KeyPair> ready;
  };

  std::shared_ptr<Lent> FindLent(std::string_view access_key) EXCLUDES(mutex_);
  Status Load() REQUIRES(mutex_);
  Status Save() REQUIRES(mutex_);
  void Refresh(const Version& now) REQUIRES(mutex_);
  Version Look() const;

  const os::Path file_;
  mutable Mutex mutex_;
  Version version_ GUARDED_BY(mutex_);  // of the file when it was last read or written
  std::vector<std::shared_ptr<const KeyPair>> pairs_ GUARDED_BY(mutex_);  // shared with callers
  std::map<std::string, std::shared_ptr<Lent>, std::less<>> lent_ GUARDED_BY(mutex_);
};

// Letters and digits only, so that no client must escape them.
KeyPair NewKeyPair(std::string user, std::vector<Grant> grants);

}  // namespace muster::objects
