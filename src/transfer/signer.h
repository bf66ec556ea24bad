#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message.h"
#include "transfer/profile.h"

namespace muster::transfer {

// Where a request for one bucket or object goes.
struct Address {
  std::string origin;  // "https://host:port", with the bucket in it in virtual-host style
  std::string host;    // what the Host header says
  std::string path;    // decoded: "/bucket/key" or "/key"
};
Address AddressOf(const Profile& profile, std::string_view bucket, std::string_view key);

// Signs with version 4. One thread; keeps the key of the day.
class Signer {
 public:
  using Query = std::vector<std::pair<std::string, std::string>>;

  // Adds date, payload hash, session token and Authorization to `headers`. All of them that begin
  // with x-amz- are signed.
  void Sign(const Profile& profile, const Address& address, std::string_view method,
            const Query& query, std::string_view payload_hash, int64_t wall_ms,
            http::Headers& headers);

  // A URL that lets anybody do one thing for a while.
  std::string Presign(const Profile& profile, const Address& address, std::string_view method,
                      Query query, int64_t seconds, int64_t wall_ms);

 private:
  const std::string& KeyOf(const Profile& profile, const std::string& day);

  std::string key_, key_of_;  // the signing key, and of what
};

}  // namespace muster::transfer
