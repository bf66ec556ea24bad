#include "transfer/signer.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "http/url.h"
#include "s3/signature.h"
#include "s3/time_text.h"
#include "s3/uri.h"

namespace muster::transfer {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

std::string ScopeOf(const Profile& profile, const std::string& day) {
  return fmt::format("{}/{}/s3/aws4_request", day, profile.region);
}

}  // namespace

Address AddressOf(const Profile& profile, std::string_view bucket, std::string_view key) {
  Address address;
  const auto url = http::ParseUrl(profile.endpoint);
  http::Url at = url ? *url : http::Url{};
  // With TLS, a bucket name with a dot would not match the wildcard certificate.
  const bool dotted = at.tls && bucket.find('.') != std::string_view::npos;
  const bool in_path = profile.path_style || bucket.empty() || dotted;
  if (!in_path) at.host = fmt::format("{}.{}", bucket, at.host);
  address.origin =
      fmt::format("{}://{}", at.tls ? "https" : "http", http::HostPort(at.host, at.port));
  address.host = http::HostHeader(at);
  address.path = "/";
  if (in_path && !bucket.empty()) address.path.append(bucket);
  if (in_path && !bucket.empty() && !key.empty()) address.path += '/';
  address.path.append(key);
  return address;
}

const std::string& Signer::KeyOf(const Profile& profile, const std::string& day) {
  std::string of = fmt::format("{}\n{}\n{}", day, profile.region, profile.secret_key);
  if (of != key_of_) {
    key_ = s3::SigningKeyV4(profile.secret_key, day, profile.region, "s3");
    key_of_ = std::move(of);
  }
  return key_;
}

void Signer::Sign(const Profile& profile, const Address& address, std::string_view method,
                  const Query& query, std::string_view payload_hash, int64_t wall_ms,
                  http::Headers& headers) {
  const std::string now = s3::CompactDate(wall_ms), day = now.substr(0, 8);
  headers.emplace_back("x-amz-date", now);
  headers.emplace_back("x-amz-content-sha256", payload_hash);
  if (!profile.session_token.empty()) {
    headers.emplace_back("x-amz-security-token", profile.session_token);
  }
  http::Headers all = headers;
  all.emplace_back("host", address.host);
  std::vector<std::string> names;
  for (const auto& [name, value] : all) {
    std::string lower = Lower(name);
    if (lower == "host" || lower.starts_with("x-amz-")) names.push_back(std::move(lower));
  }
  std::ranges::sort(names);
  const s3::Signable signable{method, address.path, false, query, all};
  const std::string scope = ScopeOf(profile, day);
  headers.emplace_back(
      "Authorization",
      fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", kAlgorithm,
                  profile.access_key, scope, Join(names, ";"),
                  s3::SignatureV4(KeyOf(profile, day), now, scope,
                                  s3::CanonicalRequestV4(signable, names, payload_hash))));
}

std::string Signer::Presign(const Profile& profile, const Address& address, std::string_view method,
                            Query query, int64_t seconds, int64_t wall_ms) {
  const std::string now = s3::CompactDate(wall_ms), day = now.substr(0, 8);
  const std::string scope = ScopeOf(profile, day);
  query.emplace_back("X-Amz-Algorithm", kAlgorithm);
  query.emplace_back("X-Amz-Credential", profile.access_key + "/" + scope);
  query.emplace_back("X-Amz-Date", now);
  query.emplace_back("X-Amz-Expires", std::to_string(seconds));
  query.emplace_back("X-Amz-SignedHeaders", "host");
  if (!profile.session_token.empty()) {
    query.emplace_back("X-Amz-Security-Token", profile.session_token);
  }
  const http::Headers headers = {{"host", address.host}};
  const std::string names[] = {"host"};
  const s3::Signable signable{method, address.path, false, query, headers};
  const std::string signature = s3::SignatureV4(
      KeyOf(profile, day), now, scope, s3::CanonicalRequestV4(signable, names, "UNSIGNED-PAYLOAD"));
  const bool tls = address.origin.starts_with("https");
  return fmt::format("{}://{}{}?{}&X-Amz-Signature={}", tls ? "https" : "http", address.host,
                     s3::UriEncode(address.path, true), s3::CanonicalQueryV4(query), signature);
}

}  // namespace muster::transfer
