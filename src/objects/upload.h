#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/thread_annotations.h"
#include "objects/body_check.h"
#include "objects/object_store.h"
#include "objects/part_log.h"

namespace muster::objects {

class Upload;

// Receives one part. Dropped unfinished, it leaves nothing.
class PartWriter {
 public:
  PartWriter(std::shared_ptr<Upload> upload, int number, os::Fd file, std::string name,
             int64_t offset, std::optional<int64_t> length);
  ~PartWriter();
  PartWriter(const PartWriter&) = delete;
  PartWriter& operator=(const PartWriter&) = delete;

  Status Write(const s3::SharedPiece& piece) { return writer_.Write(file_.get(), piece); }
  int fd() const { return file_.get(); }
  int64_t offset() const { return offset_; }  // of the part's first byte
  // All came: `done`, on any thread, when the part will last.
  void Finish(const BodySums& sums, std::function<void(S3Result<Part>)> done);

 private:
  const std::shared_ptr<Upload> upload_;  // shared with the table of uploads
  const int number_;
  os::Fd file_;
  const std::string name_;  // of a file of its own; empty: a place in the common one
  const int64_t offset_;
  RunWriter writer_;
  bool finished_ = false;
};

// What an upload was begun with.
struct UploadStart {
  std::string id, bucket, key;
  int64_t created_ms = 0;
  ObjectMeta meta;
  std::optional<s3::DigestKind> checksum;  // of every part
  bool full_checksum = false;              // of the whole object, not of the parts' checksums
};

// One multipart upload: a folder with the common file "data", in which parts of one length have
// their places from the beginning, so that nothing is copied at the end; files of their own for
// parts that do not fit in there; and the log of what is whole. Any thread.
class Upload : public std::enable_shared_from_this<Upload> {
 public:
  Upload(ObjectStore& store, UploadStart start, Folder folder);
  Status Load() EXCLUDES(mutex_);  // what a server before this one received

  const UploadStart& start() const { return start_; }
  std::vector<Part> Parts() const EXCLUDES(mutex_);
  int64_t last_change_ms() const EXCLUDES(mutex_);

  // `length`: where the head tells it.
  S3Result<std::shared_ptr<PartWriter>> Begin(int number, std::optional<int64_t> length)
      EXCLUDES(mutex_);

  // From here on no part is taken. False: somebody else completes or aborts it.
  bool Close() EXCLUDES(mutex_);
  void Reopen() EXCLUDES(mutex_);  // completing failed
  // The digest of a part's bytes, read from disk; raw. For parts that came without a checksum.
  S3Result<std::string> DigestOfPart(const Part& part, s3::DigestKind kind) const EXCLUDES(mutex_);
  // The bytes of these parts, one behind the other, as a file that can be put to its place.
  S3Result<TempFile> Assemble(const std::vector<Part>& parts) EXCLUDES(mutex_);

 private:
  friend class PartWriter;

  S3Result<os::Fd> OpenData() const;
  void Release(int number, const std::string& file) EXCLUDES(mutex_);
  S3Result<std::vector<os::Fd>> Record(const Part& part) EXCLUDES(mutex_);
  int64_t PlaceOf(int number) const REQUIRES(mutex_) { return (number - 1) * place_size_; }

  ObjectStore& store_;
  const UploadStart start_;
  const Folder folder_;

  mutable Mutex mutex_;
  int64_t place_size_ GUARDED_BY(mutex_) = 0;  // 0: no part has said it yet
  std::map<int, Part> parts_ GUARDED_BY(mutex_);
  std::set<int> busy_ GUARDED_BY(mutex_);  // places that are being written
  bool closed_ GUARDED_BY(mutex_) = false;
  int64_t last_change_ms_ GUARDED_BY(mutex_) = 0;
};

constexpr int kMostParts = 10'000;
constexpr int64_t kSmallestPart = 5 << 20;

}  // namespace muster::objects
