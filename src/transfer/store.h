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
  // It is reached by an address of this machine alone.
  bool on_loopback() const { return on_loopback_; }
  // Its folder, where that is ours; null: it is not, or nobody has asked yet.
  std::shared_ptr<NearStore> near() const EXCLUDES(mutex_);
  void SetNear(std::unique_ptr<NearStore> near) EXCLUDES(mutex_);
  void ForgetNear() EXCLUDES(mutex_) { SetNear(nullptr); }
  // Whether it checks x-amz-checksum-crc32c and says so; thought so until an answer tells
  // otherwise.
  bool checks_crc() const { return checks_crc_; }
  void ForgetCrc() { checks_crc_ = false; }
  // Whether it unpacks archives into objects, as MinIO does; thought so of a server that says it is
  // that, until an archive was not unpacked.
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
  std::shared_ptr<NearStore> near_ GUARDED_BY(mutex_);  // shared with copies under way
};

}  // namespace muster::transfer
