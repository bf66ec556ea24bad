#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/thread_annotations.h"
#include "objects/folder.h"
#include "objects/object_meta.h"
#include "objects/s3_error.h"

namespace muster::objects {

// A rule for requests from web pages.
struct CorsRule {
  std::vector<std::string> origins, methods, headers, exposed;
  int64_t max_age_s = 0;
};

struct BucketSetting {
  std::vector<CorsRule> cors = {};
  Pairs tags = {};
  std::string region = {};  // the LocationConstraint of the bucket's creation; may be empty

  bool empty() const { return cors.empty() && tags.empty() && region.empty(); }
};

// The settings of a bucket: .muster/buckets/NAME.json. Any thread.
class BucketSettings {
 public:
  explicit BucketSettings(os::Path folder) : folder_(std::move(folder)) {}

  std::shared_ptr<const BucketSetting> Get(const std::string& bucket) const EXCLUDES(mutex_);
  Status Set(const std::string& bucket, BucketSetting setting) EXCLUDES(mutex_);
  void Remove(const std::string& bucket) EXCLUDES(mutex_);

 private:
  const os::Path folder_;
  mutable Mutex mutex_;
  // Cached settings, shared with calls that use them.
  mutable std::map<std::string, std::shared_ptr<const BucketSetting>> known_ GUARDED_BY(mutex_);
};

}  // namespace muster::objects
