#include "http/url.h"

#include <fmt/format.h>

#include "base/text.h"
#include "http/client.h"

namespace muster::http {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '~';
}

std::unexpected<Error> BadUrl(std::string_view text, std::string_view cause) {
  return Fail(Code::kInvalid,
              fmt::format("\"{}\" is not a server's address: {}", Printable(text), cause),
              "write it as http://HOST:PORT or https://HOST:PORT");
}

// The rest after the host: empty, or ':' and a port.
Result<int> ParsePort(std::string_view text, std::string_view rest, int fallback) {
  if (rest.empty()) return fallback;
  const auto port = rest.front() == ':' ? ParseInt(rest.substr(1)) : std::nullopt;
  if (!port || *port < 1 || *port > 65535) return BadUrl(text, "the port is not from 1 to 65535");
  return static_cast<int>(*port);
}

}  // namespace

std::string UrlEncode(std::string_view text) {
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (IsUnreserved(c)) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += {'%', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
    }
  }
  return encoded;
}

Result<std::string> UrlDecode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? HexValue(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexValue(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return Fail(Code::kInvalid,
                  fmt::format("'%' at byte {} is not followed by two hex digits", i),
                  "write a plain percent sign as %25");
    }
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

Result<Url> ParseUrl(std::string_view text) {
  Url url;
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    url.tls = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return BadUrl(text, "it begins with neither http:// nor https://");
  }
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find_first_of("/?#@") != std::string_view::npos) {
    return BadUrl(text, "there is more in it than host and port");
  }
  if (rest.starts_with('[')) {
    const size_t end = rest.find(']');
    if (end == std::string_view::npos) return BadUrl(text, "the ']' is missing");
    url.host = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
  } else {
    const size_t end = std::min(rest.find(':'), rest.size());
    url.host = rest.substr(0, end);
    rest.remove_prefix(end);
  }
  if (url.host.empty() || Printable(url.host) != url.host ||
      url.host.find(' ') != std::string::npos) {
    return BadUrl(text, "the host is missing or is no host");
  }
  MUSTER_ASSIGN(url.port, ParsePort(text, rest, url.tls ? 443 : 80));
  return url;
}

std::string HostPort(std::string_view host, int port) {
  const bool v6 = host.find(':') != std::string_view::npos;
  return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string HostHeader(const Url& url) {
  std::string text = HostPort(url.host, url.port);
  if (url.port == (url.tls ? 443 : 80)) text.resize(text.rfind(':'));
  return text;
}

}  // namespace muster::http
