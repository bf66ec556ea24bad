#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "http/gate.h"

namespace muster::api {

// The sign-ins of browsers. A session is a signed cookie: the server keeps no list of sessions, so
// a session survives a restart of the server and ends with its expiry or with a new server token.
//
// A cookie is valid for one port of a host, because browsers share cookies between all ports. A
// request that changes something must also carry the header X-Muster-Console, which a page of
// another origin cannot send.
class Sessions final : public http::SignIn {
 public:
  Sessions(std::string token, bool secure, const Clock& clock)
      : token_(std::move(token)), secure_(secure), clock_(clock) {}

  Finding Check(const http::Request& head) const override;

  bool IsToken(std::string_view text) const;  // compares in constant time
  // Values of the header Set-Cookie, for the host that the request names.
  std::string NewCookie(const http::Request& request) const;
  std::string RemovalCookie(const http::Request& request) const;

  // A code that opens `path` signed in, once, within kLinkLifeMs.
  std::string AddLink(std::string path);
  // The path of a valid code, which is used up.
  std::optional<std::string> TakeLink(const std::string& code);

  static constexpr int64_t kLinkLifeMs = 10 * 60 * 1000;
  static constexpr int64_t kSessionLifeMs = int64_t{30} * 24 * 3600 * 1000;

 private:
  struct Link {
    std::string path;
    int64_t expires_ms = 0;
  };

  std::string Sign(std::string_view text) const;
  bool IsValid(std::string_view value) const;
  void DropExpiredLinks();

  const std::string token_;
  const bool secure_;  // the server speaks HTTPS
  const Clock& clock_;
  std::map<std::string, Link> links_;  // by code
};

}  // namespace muster::api
