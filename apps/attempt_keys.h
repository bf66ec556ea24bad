#pragma once

#include "lifecycle/attempt_keys.h"
#include "objects/s3_server.h"
#include "store/code_store.h"

namespace muster::apps {

// The key of an attempt is lent by the object store and written to store.json in the attempt's
// folder, which only the owner can read. The file is in the form of endpoint.json, so that it also
// says where the store is after the server was started again. Its secret is made once per attempt.
class AttemptKeys final : public lifecycle::AttemptKeys {
 public:
  AttemptKeys(objects::S3Server& objects, const store::CodeStore& code)
      : objects_(objects), code_(code) {}

  Status Give(const Job& job, const Attempt& attempt, const os::Path& dir) override;
  void TakeBack(const Job& job, const Attempt& attempt, const os::Path& dir) override;

 private:
  objects::S3Server& objects_;
  const store::CodeStore& code_;
};

}  // namespace muster::apps
