#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message.h"
#include "transfer/profile.h"

namespace muster::transfer {

// The destination of a request for one bucket or object.
struct Address {
  std::string origin;  // "https://host:port", including the bucket in virtual-host style
  std::string host;    // the Host header
  std::string path;    // decoded: "/bucket/key" or "/key"
};
Address AddressOf(const Profile& profile, std::string_view bucket, std::string_view key);

// Signs requests with AWS signature version 4. One thread; caches the signing key of the day.
class Signer {
 public:
  using Query = std::vector<std::pair<std::string, std::string>>;

  // Adds date, payload hash, session token and Authorization to `headers`. Signs all headers that
  // begin with x-amz-.
  void Sign(const Profile& profile, const Address& address, std::string_view method,
            const Query& query, std::string_view payload_hash, int64_t wall_ms,
            http::Headers& headers);

  // A URL that permits one operation without credentials for a limited time.
  std::string Presign(const Profile& profile, const Address& address, std::string_view method,
                      Query query, int64_t seconds, int64_t wall_ms);

 private:
  const std::string& KeyOf(const Profile& profile, const std::string& day);

  std::string key_, key_of_;  // the signing key and its scope
};

}  // namespace muster::transfer
