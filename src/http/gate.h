#pragma once

#include <array>
#include <expected>
#include <string>
#include <string_view>

#include "http/message.h"
#include "http/router.h"

namespace muster::http {

// What the head says about the message as a whole.
struct RequestFacts {
  bool http11 = true;
  bool chunked = false;
  int64_t content_length = 0;
};

// Recognises requests of signed-in browsers, which carry a cookie and no Authorization header.
class SignIn {
 public:
  enum class Finding {
    kNone,    // no session, or one that is not valid any more
    kValid,   // the request of a signed-in page of this server
    kForged,  // a valid session, but the request came from a page of another origin
  };
  virtual ~SignIn() = default;
  virtual Finding Check(const Request& head) const = 0;
};

// Decides by the head alone whether a request is passed to its handler. Independent of sockets.
class Gate {
 public:
  // `loopback`: only this machine's programs can connect, so a foreign Host is a web page that had
  // its name pointed here, and is refused. An empty token matches nothing.
  // `sign_in`, where given, outlives the gate.
  Gate(std::string_view token, bool loopback, const SignIn* sign_in = nullptr);

  // Fills path, query and params of `request`. Returns the route, or the response that refuses the
  // request.
  std::expected<const Route*, Response> Admit(const Router& router, const RequestFacts& facts,
                                              Request& request) const;

  bool TokenMatches(std::string_view authorization) const;
  bool HostAllowed(std::string_view host) const;

 private:
  using Digest = std::array<unsigned char, 32>;
  static Digest Hash(std::string_view text);
  std::expected<void, Response> CheckToken(const Request& request) const;

  const bool has_token_;
  const Digest token_;  // SHA-256, so that the comparison time does not reveal the length
  const bool loopback_;
  const SignIn* const sign_in_;
};

}  // namespace muster::http
