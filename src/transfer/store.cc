#include "transfer/store.h"

#include "http/url.h"

namespace muster::transfer {
namespace {

bool IsPrivate(const Profile& profile) {
  const auto url = http::ParseUrl(profile.endpoint);
  if (!url) return false;
  return url->tls || url->host.starts_with("127.") || url->host == "::1" ||
         url->host == "localhost";
}

}  // namespace

Store::Store(Profile profile, Renew renew)
    : renew_(std::move(renew)), private_link_(IsPrivate(profile)), profile_(std::move(profile)) {}

Profile Store::profile() const {
  const MutexLock lock(mutex_);
  return profile_;
}

void Store::RenewKeys() {
  auto fresh = renew_ ? renew_() : Fail(Code::kInvalid, "there is nowhere to read them");
  if (!fresh) return;  // the old ones fail once more, and that is told
  const MutexLock lock(mutex_);
  profile_.access_key = fresh->access_key;
  profile_.secret_key = fresh->secret_key;
  profile_.session_token = fresh->session_token;
}

}  // namespace muster::transfer
