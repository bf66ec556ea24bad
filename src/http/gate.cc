#include "http/gate.h"

#include <arpa/inet.h>

#include <algorithm>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include "base/text.h"
#include "http/target.h"

namespace muster::http {
namespace {

std::unexpected<Response> Refuse(int status, Code code, std::string text, std::string next) {
  Response response = ErrorResponse({code, std::move(text), std::move(next)});
  response.status = status;
  return std::unexpected(std::move(response));
}

// Host without port for "host:port" and "[::1]:port".
std::string_view WithoutPort(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, std::min(host.find(']'), host.size() - 1) + 1);
  return host.substr(0, std::min(host.find(':'), host.size()));
}

std::expected<void, Response> CheckHostHeader(const RequestFacts& facts, const Request& request) {
  const auto hosts = std::ranges::count_if(
      request.headers, [](const auto& header) { return Lower(header.first) == "host"; });
  if (hosts > 1 || (hosts == 0 && facts.http11)) {
    return Refuse(400, Code::kInvalid, fmt::format("the request has {} Host headers", hosts),
                  "send exactly one");
  }
  return {};
}

std::expected<void, Response> CheckExpect(const Request& request) {
  const std::string_view expect = FindHeader(request.headers, "Expect");
  if (expect.empty() || Lower(expect) == "100-continue") return {};
  return Refuse(417, Code::kInvalid,
                fmt::format("the expectation \"{}\" cannot be met", Printable(expect)),
                "leave the Expect header out");
}

std::expected<void, Response> CheckBody(const RequestFacts& facts, const Route& route) {
  if (facts.content_length <= route.body_limit) return {};
  return Refuse(413, Code::kTooLarge,
                fmt::format("the body of {} bytes is above the {} bytes that {} {} takes",
                            facts.content_length, route.body_limit, route.method, route.pattern),
                route.body_limit == 0 ? "send it without a body" : "send less");
}

Response Unauthorized(bool tried) {
  Response response = ErrorResponse(
      {Code::kDenied, tried ? "the token is not this server's" : "the request has no token",
       "send 'Authorization: Bearer TOKEN' with the token from the server's endpoint.json"});
  response.status = 401;
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace

Gate::Gate(std::string_view token, bool loopback, const SignIn* sign_in)
    : has_token_(!token.empty()), token_(Hash(token)), loopback_(loopback), sign_in_(sign_in) {}

Gate::Digest Gate::Hash(std::string_view text) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return digest;
}

bool Gate::TokenMatches(std::string_view authorization) const {
  constexpr std::string_view kScheme = "bearer ";
  const bool bearer = Lower(authorization.substr(0, kScheme.size())) == kScheme;
  const Digest given =
      Hash(bearer ? Trim(authorization.substr(kScheme.size())) : std::string_view());
  const bool same = CRYPTO_memcmp(given.data(), token_.data(), token_.size()) == 0;
  return has_token_ && bearer && same;
}

bool Gate::HostAllowed(std::string_view host) const {
  if (!loopback_ || host.empty()) return true;
  const std::string name = Lower(WithoutPort(host));
  if (name == "localhost" || name == "[::1]") return true;
  in_addr address;
  return ::inet_pton(AF_INET, name.c_str(), &address) == 1 && (ntohl(address.s_addr) >> 24) == 127;
}

std::expected<void, Response> Gate::CheckToken(const Request& request) const {
  const std::string_view authorization = FindHeader(request.headers, "Authorization");
  if (TokenMatches(authorization)) return {};
  if (!authorization.empty() || sign_in_ == nullptr)
    return std::unexpected(Unauthorized(!authorization.empty()));
  switch (sign_in_->Check(request)) {
    case SignIn::Finding::kValid:
      return {};
    case SignIn::Finding::kForged:
      return Refuse(403, Code::kDenied, "the request was sent by a page of another origin",
                    "programs send 'Authorization: Bearer TOKEN' instead of the console's cookie");
    case SignIn::Finding::kNone:
      break;
  }
  return std::unexpected(Unauthorized(false));
}

std::expected<const Route*, Response> Gate::Admit(const Router& router, const RequestFacts& facts,
                                                  Request& request) const {
  if (auto host = CheckHostHeader(facts, request); !host) return std::unexpected(host.error());
  auto target = ParseTarget(request.raw_target);
  if (!target) return std::unexpected(ErrorResponse(target.error()));
  const std::string_view host =
      target->authority.empty() ? FindHeader(request.headers, "Host") : target->authority;
  if (!HostAllowed(host)) {
    return Refuse(421, Code::kDenied, fmt::format("this server is not \"{}\"", Printable(host)),
                  "address it as localhost or 127.0.0.1");
  }
  Router::Match match = router.Find(request.method, target->path);
  if (match.route == nullptr) return std::unexpected(std::move(match.error));
  if (!match.route->open) {
    if (auto token = CheckToken(request); !token) return std::unexpected(token.error());
  }
  if (auto expect = CheckExpect(request); !expect) return std::unexpected(expect.error());
  if (auto body = CheckBody(facts, *match.route); !body) return std::unexpected(body.error());
  request.path = std::move(target->path);
  request.query = std::move(target->query);
  request.params = std::move(match.params);
  return match.route;
}

}  // namespace muster::http
