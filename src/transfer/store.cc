#include "transfer/store.h"

#include "http/url.h"

namespace muster::transfer {
namespace {

bool IsOnLoopback(const Profile& profile) {
  const auto url = http::ParseUrl(profile.endpoint);
  return url && (url->host.starts_with("127.") || url->host == "::1" || url->host == "localhost");
}

}  // namespace

Store::Store(Profile profile, Renew renew)
    : renew_(std::move(renew)),
      on_loopback_(IsOnLoopback(profile)),
      private_link_(on_loopback_ || profile.endpoint.starts_with("https:")),
      profile_(std::move(profile)) {}

void Store::MeetServer(std::string_view name) {
  auto unknown = Unpacks::kUnknown;
  if (name == "MinIO") unpacks_.compare_exchange_strong(unknown, Unpacks::kYes);
}

std::shared_ptr<NearStore> Store::near() const {
  const MutexLock lock(mutex_);
  return near_;
}

void Store::SetNear(std::unique_ptr<NearStore> near) {
  const MutexLock lock(mutex_);
  near_ = std::move(near);
}

Profile Store::profile() const {
  const MutexLock lock(mutex_);
  return profile_;
}

void Store::RenewKeys() {
  auto fresh = renew_ ? renew_() : Fail(Code::kInvalid, "there is nowhere to read them");
  if (!fresh) return;  // the old credentials fail again with the error of the store
  const MutexLock lock(mutex_);
  profile_.access_key = fresh->access_key;
  profile_.secret_key = fresh->secret_key;
  profile_.session_token = fresh->session_token;
}

}  // namespace muster::transfer
