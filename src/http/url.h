#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::http {

// The address of a server: "https://host:port". UrlEncode and UrlDecode are in http/client.h.
struct Url {
  bool tls = false;
  std::string host;  // without the brackets of an IPv6 address
  int port = 0;
};

// Fails with kInvalid for another scheme, a user name, a path, or an invalid port.
Result<Url> ParseUrl(std::string_view text);

// "host:port", with an IPv6 address in brackets.
std::string HostPort(std::string_view host, int port);
// The Host header: the port is omitted if it is the default of the scheme.
std::string HostHeader(const Url& url);

}  // namespace muster::http
