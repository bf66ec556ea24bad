#include "api/console/sessions.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/hmac.h>

#include "base/text.h"
#include "os/file.h"

namespace muster::api {
namespace {

constexpr int kNonceBytes = 16;
constexpr int kCodeBytes = 24;
constexpr size_t kMostLinks = 1000;

bool SameText(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

// "muster_8080": the port keeps the cookies of several servers on one host apart.
std::string CookieName(const http::Request& request) {
  const std::string_view host = http::FindHeader(request.headers, "Host");
  const size_t colon = host.rfind(':');
  const auto port = colon == host.npos ? std::nullopt : ParseInt(host.substr(colon + 1));
  return port ? fmt::format("muster_{}", *port) : "muster";
}

// The value of one cookie; empty when the request has none of this name.
std::string CookieValue(const http::Request& request, const std::string& name) {
  for (const std::string& part : Split(http::FindHeader(request.headers, "Cookie"), ';')) {
    const std::string_view cookie = Trim(part);
    if (cookie.starts_with(name) && cookie.substr(name.size()).starts_with('='))
      return std::string(cookie.substr(name.size() + 1));
  }
  return {};
}

// Browsers send Sec-Fetch-Site: "none" is an address that the user typed or a bookmark.
bool IsSameOrigin(const http::Request& head) {
  const std::string_view site = http::FindHeader(head.headers, "Sec-Fetch-Site");
  return site.empty() || site == "same-origin" || site == "none";
}

bool IsRead(const http::Request& head) { return head.method == "GET" || head.method == "HEAD"; }

}  // namespace

http::SignIn::Finding Sessions::Check(const http::Request& head) const {
  const std::string value = CookieValue(head, CookieName(head));
  if (value.empty() || !IsValid(value)) return Finding::kNone;
  const bool marked = !http::FindHeader(head.headers, "X-Muster-Console").empty();
  return IsSameOrigin(head) && (IsRead(head) || marked) ? Finding::kValid : Finding::kForged;
}

bool Sessions::IsToken(std::string_view text) const {
  return !token_.empty() && SameText(os::Sha256(text), os::Sha256(token_));
}

std::string Sessions::NewCookie(const http::Request& request) const {
  const std::string claim =
      fmt::format("{}.{}", clock_.WallMs() + kSessionLifeMs, os::RandomHex(kNonceBytes));
  return fmt::format("{}={}.{}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}",
                     CookieName(request), claim, Sign(claim), kSessionLifeMs / 1000,
                     secure_ ? "; Secure" : "");
}

std::string Sessions::RemovalCookie(const http::Request& request) const {
  return fmt::format("{}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0{}", CookieName(request),
                     secure_ ? "; Secure" : "");
}

std::string Sessions::Sign(std::string_view text) const {
  const std::string message = fmt::format("console session\n{}", text);
  std::array<unsigned char, 32> digest;
  unsigned size = 0;
  HMAC(EVP_sha256(), token_.data(), int(token_.size()),
       reinterpret_cast<const unsigned char*>(message.data()), message.size(), digest.data(),
       &size);
  std::string hex;
  for (const unsigned char byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

bool Sessions::IsValid(std::string_view value) const {
  const size_t dot = value.rfind('.');
  if (token_.empty() || dot == value.npos) return false;
  const std::string_view claim = value.substr(0, dot);
  if (!SameText(value.substr(dot + 1), Sign(claim))) return false;
  const auto expires_ms = ParseInt(claim.substr(0, std::min(claim.find('.'), claim.size())));
  return expires_ms && *expires_ms > clock_.WallMs();
}

std::string Sessions::AddLink(std::string path) {
  DropExpiredLinks();
  const std::string code = os::RandomHex(kCodeBytes);
  links_[code] = {std::move(path), clock_.WallMs() + kLinkLifeMs};
  return code;
}

std::optional<std::string> Sessions::TakeLink(const std::string& code) {
  DropExpiredLinks();
  const auto it = links_.find(code);
  if (it == links_.end()) return std::nullopt;
  std::string path = std::move(it->second.path);
  links_.erase(it);
  return path;
}

void Sessions::DropExpiredLinks() {
  std::erase_if(links_,
                [&](const auto& link) { return link.second.expires_ms <= clock_.WallMs(); });
  while (links_.size() >= kMostLinks) links_.erase(links_.begin());
}

}  // namespace muster::api
