#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/thread_annotations.h"
#include "objects/upload.h"

namespace muster::objects {

// The multipart uploads under way, each in .muster/uploads/ID. Any thread.
class Uploads {
 public:
  // Finds those of an earlier server again.
  static Result<std::unique_ptr<Uploads>> Open(ObjectStore& store, os::Path folder);

  S3Result<std::shared_ptr<Upload>> Create(UploadStart start) EXCLUDES(mutex_);  // gives it its id
  // kNoSuchUpload unless it is one of this key.
  S3Result<std::shared_ptr<Upload>> Find(const std::string& bucket, const std::string& key,
                                         const std::string& id) const EXCLUDES(mutex_);
  // Takes a closed one out, with all that was received.
  void Remove(const std::shared_ptr<Upload>& upload) EXCLUDES(mutex_);
  void AbortAll(const std::string& bucket) EXCLUDES(mutex_);  // which is gone
  // Those that nothing came for since `before_ms`.
  void AbortAbandoned(int64_t before_ms) EXCLUDES(mutex_);
  // By key, then by the time they were begun.
  std::vector<std::shared_ptr<Upload>> InBucket(const std::string& bucket) const EXCLUDES(mutex_);

 private:
  Uploads(ObjectStore& store, os::Path folder) : store_(store), folder_(std::move(folder)) {}
  Status LoadAll() EXCLUDES(mutex_);
  Status LoadOne(const std::string& id) EXCLUDES(mutex_);

  ObjectStore& store_;
  const os::Path folder_;
  mutable Mutex mutex_;
  // Shared with the parts that are being received.
  std::map<std::string, std::shared_ptr<Upload>> uploads_ GUARDED_BY(mutex_);
};

}  // namespace muster::objects
