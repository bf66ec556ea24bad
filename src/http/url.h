#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::http {

// Where a server is: "https://host:port". UrlEncode and UrlDecode are in http/client.h.
struct Url {
  bool tls = false;
  std::string host;  // without the brackets of an IPv6 address
  int port = 0;
};

// Fails with kInvalid on another scheme, a user name, a path, or a port that is none.
Result<Url> ParseUrl(std::string_view text);

// "host:port", an IPv6 address in brackets.
std::string HostPort(std::string_view host, int port);
// What the Host header of a request says: the port only where it is not the scheme's own.
std::string HostHeader(const Url& url);

}  // namespace muster::http
