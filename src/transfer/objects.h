#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "transfer/copy.h"
#include "transfer/s3_answers.h"
#include "transfer/worker.h"

namespace muster::transfer {

// What is asked of an object store one thing at a time, tried again by the table of retry.h. One
// thread.
class Objects {
 public:
  Objects(Stores& stores, Observer& observer, CopyOptions options = {});

  Result<std::vector<BucketInfo>> Buckets(const std::string& profile);
  Status MakeBucket(const Location& bucket);
  Status RemoveBucket(const Location& bucket);

  // One level of what begins with a prefix, as a shell completes names; or with `recursive` the
  // object of that name and all below it. Keys and prefixes in the order of their bytes; false ends
  // it.
  struct Entry {
    ObjectInfo object;  // its key alone where it is a prefix
    bool is_prefix = false;
  };
  Status List(const Location& location, bool recursive, const std::function<bool(Entry)>& take);

  // Keys of Muster's own store; other stores refuse.
  Result<std::vector<StoreKey>> Keys();
  Result<StoreKey> MakeKey(const StoreKey& wanted);
  Status RevokeKey(const std::string& access_key);

  Result<ObjectInfo> Stat(const Location& object);
  // The bytes in order, once; false from `take` ends it. A connection that breaks is made again
  // where it was, as long as the object stays the same.
  Status Read(const Location& object, int64_t offset, int64_t length,
              const std::function<bool(std::string_view)>& take);
  Result<std::string> Presign(const Location& object, const std::string& method, int64_t seconds);

 private:
  const CopyOptions options_;
  Session session_;
  Worker worker_;
};

}  // namespace muster::transfer
