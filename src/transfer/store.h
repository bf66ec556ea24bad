#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/thread_annotations.h"
#include "transfer/near_store.h"
#include "transfer/profile.h"

namespace muster::transfer {

// The state that all connections to one object store share. Any thread.
class Store {
 public:
  // `renew` reads the credentials again when the store reports that they expired.
  using Renew = std::function<Result<Profile>()>;
  Store(Profile profile, Renew renew);

  Profile profile() const EXCLUDES(mutex_);
  void RenewKeys() EXCLUDES(mutex_);

  // The clock of the server minus the local clock.
  int64_t skew_ms() const { return skew_ms_; }
  void SetSkew(int64_t ms) { skew_ms_ = ms; }

  // Bytes cannot be changed in transit unnoticed: TLS, or loopback.
  bool private_link() const { return private_link_; }
  // The address of the store is a loopback address.
  bool on_loopback() const { return on_loopback_; }
  // The folder of the store if it is Muster's own on this machine; null if not, or not yet known.
  std::shared_ptr<NearStore> near() const EXCLUDES(mutex_);
  void SetNear(std::unique_ptr<NearStore> near) EXCLUDES(mutex_);
  void ForgetNear() EXCLUDES(mutex_) { SetNear(nullptr); }
  // Whether the store verifies x-amz-checksum-crc32c and confirms it. Assumed until a response
  // shows otherwise.
  bool checks_crc() const { return checks_crc_; }
  void ForgetCrc() { checks_crc_ = false; }
  // Whether the store unpacks archives into objects. Assumed for servers that identify as MinIO
  // until an archive was not unpacked.
  bool unpacks() const { return unpacks_ == Unpacks::kYes; }
  void MeetServer(std::string_view name);
  void ForgetArchives() { unpacks_ = Unpacks::kNo; }

 private:
  const Renew renew_;
  const bool on_loopback_, private_link_;
  std::atomic<int64_t> skew_ms_ = 0;
  std::atomic<bool> checks_crc_ = true;
  enum class Unpacks { kUnknown, kYes, kNo };
  std::atomic<Unpacks> unpacks_ = Unpacks::kUnknown;
  mutable Mutex mutex_;
  Profile profile_ GUARDED_BY(mutex_);
  std::shared_ptr<NearStore> near_ GUARDED_BY(mutex_);  // shared with copies in progress
};

}  // namespace muster::transfer
