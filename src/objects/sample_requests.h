#pragma once

#include <string>

#include "objects/key_ring.h"
#include "objects/s3_request.h"
#include "os/temp_dir.h"

namespace muster::objects {

// For tests: a key ring with the key of S3's published examples.
inline constexpr const char* kSampleAccess = "AKIAIOSFODNN7EXAMPLE";
inline constexpr const char* kSampleSecret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

class SampleRing {
 public:
  SampleRing() : ring_(KeyRing::Open(dir_ / "keys.json").value()) {
    (void)ring_->Add({kSampleAccess, kSampleSecret, "sample", {{.bucket = "*", .write = true}}});
  }
  KeyRing& operator*() { return *ring_; }
  KeyRing* operator->() { return ring_.get(); }

 private:
  os::TempDir dir_;
  std::unique_ptr<KeyRing> ring_;
};

inline S3Request SampleRequest(std::string method, std::string target, http::Headers headers) {
  http::Request head;
  head.method = std::move(method);
  head.raw_target = std::move(target);
  head.headers = std::move(headers);
  const std::string domains[] = {"s3.amazonaws.com"};
  return ReadRequest(head, {}, domains).value();
}

}  // namespace muster::objects
