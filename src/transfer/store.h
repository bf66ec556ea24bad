#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "base/thread_annotations.h"
#include "transfer/profile.h"

namespace muster::transfer {

// What all connections to one object store share, and learn on the way. Any thread.
class Store {
 public:
  // `renew` reads the credentials again when the store says that they ran out.
  using Renew = std::function<Result<Profile>()>;
  Store(Profile profile, Renew renew);

  Profile profile() const EXCLUDES(mutex_);
  void RenewKeys() EXCLUDES(mutex_);

  // How far the server's clock is ahead of ours.
  int64_t skew_ms() const { return skew_ms_; }
  void SetSkew(int64_t ms) { skew_ms_ = ms; }

  // Nobody can turn bytes on the way without being noticed: TLS, or this machine's own loopback.
  bool private_link() const { return private_link_; }
  // Whether it checks x-amz-checksum-crc32c and says so; thought so until an answer tells
  // otherwise.
  bool checks_crc() const { return checks_crc_; }
  void ForgetCrc() { checks_crc_ = false; }

 private:
  const Renew renew_;
  const bool private_link_;
  std::atomic<int64_t> skew_ms_ = 0;
  std::atomic<bool> checks_crc_ = true;
  mutable Mutex mutex_;
  Profile profile_ GUARDED_BY(mutex_);
};

}  // namespace muster::transfer
