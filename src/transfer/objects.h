#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "transfer/copy.h"
#include "transfer/s3_answers.h"
#include "transfer/worker.h"

namespace muster::transfer {

// Single operations on an object store, retried by the table in retry.h. One thread.
class Objects {
 public:
  Objects(Stores& stores, Observer& observer, CopyOptions options = {});

  Result<std::vector<BucketInfo>> Buckets(const std::string& profile);
  Status MakeBucket(const Location& bucket);
  Status RemoveBucket(const Location& bucket);

  // One level below a prefix, as a shell completes names, or with `recursive` the object of that
  // name and all objects below it. Keys and prefixes are sorted by bytes. Returning false ends the
  // listing.
  struct Entry {
    ObjectInfo object;  // for a prefix only the key is set
    bool is_prefix = false;
  };
  Status List(const Location& location, bool recursive, const std::function<bool(Entry)>& take);

  // Access keys of Muster's own store; other stores refuse these requests.
  Result<std::vector<StoreKey>> Keys();
  Result<StoreKey> MakeKey(const StoreKey& wanted);
  Status RevokeKey(const std::string& access_key);

  Result<ObjectInfo> Stat(const Location& object);
  // Passes the bytes to `take` in order, each once; returning false ends the read. After a lost
  // connection the read continues at the same offset, provided that the object is unchanged.
  Status Read(const Location& object, int64_t offset, int64_t length,
              const std::function<bool(std::string_view)>& take);
  Result<std::string> Presign(const Location& object, const std::string& method, int64_t seconds);

 private:
  const CopyOptions options_;
  Session session_;
  Worker worker_;
};

}  // namespace muster::transfer
