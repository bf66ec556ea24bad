#include "objects/s3_request.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "objects/key_path.h"
#include "s3/uri.h"

namespace muster::objects {
namespace {

constexpr size_t kMostPairs = 64;

// Removes "http://authority" from a target sent to a proxy.
std::string_view WithoutAuthority(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!BeginsWithWord(target, scheme)) continue;
    target.remove_prefix(scheme.size());
    target.remove_prefix(std::min(target.find_first_of("/?"), target.size()));
  }
  return target;
}

S3Status ReadQuery(std::string_view text, S3Request& request) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    const size_t equals = pair.find('=');
    auto name = s3::UriDecode(pair.substr(0, equals), true);
    auto value =
        s3::UriDecode(equals == std::string_view::npos ? "" : pair.substr(equals + 1), true);
    if (!name || !value) return Refuse(S3Code::kInvalidUri, "The query has a broken escape.");
    if (request.query.size() >= kMostPairs) {
      return Refuse(S3Code::kInvalidUri, "The query has too many parameters.");
    }
    request.query.push_back(
        {std::move(*name), std::move(*value), equals != std::string_view::npos});
  }
  return {};
}

// "bucket" for the host "bucket.domain:port"; empty for other hosts.
std::string BucketOfHost(std::string_view host, std::span<const std::string> domains) {
  const std::string name = Lower(host.substr(0, std::min(host.rfind(':'), host.size())));
  for (const std::string& domain : domains) {
    if (name.size() > domain.size() + 1 && name.ends_with(domain) &&
        name[name.size() - domain.size() - 1] == '.') {
      return name.substr(0, name.size() - domain.size() - 1);
    }
  }
  return {};
}

S3Status ReadNames(S3Request& request, std::span<const std::string> domains) {
  const auto path = s3::UriDecode(request.raw_path, false);
  if (!path) return Refuse(S3Code::kInvalidUri, "The path has a broken escape.");
  std::string_view rest = std::string_view(*path).substr(1);
  request.bucket = BucketOfHost(request.Header("Host"), domains);
  request.virtual_host = !request.bucket.empty();
  if (!request.virtual_host) {
    const size_t slash = std::min(rest.find('/'), rest.size());
    request.bucket = rest.substr(0, slash);
    rest.remove_prefix(std::min(slash + 1, rest.size()));
  }
  request.key = rest;
  if (request.bucket.empty() && !request.key.empty()) return Refuse(S3Code::kInvalidBucketName);
  if (request.key.size() > kLongestKey) return Refuse(S3Code::kKeyTooLong);
  if (!request.bucket.empty() && !IsBucketName(request.bucket)) {
    return Refuse(S3Code::kInvalidBucketName);
  }
  return {};
}

}  // namespace

S3Result<s3::XmlElement> ReadXml(std::string_view body) {
  auto root = s3::ReadXml(body);
  if (!root)
    return Refuse(S3Code::kMalformedXml, "The XML cannot be read: " + root.error().text + ".");
  return std::move(*root);
}

bool IsBucketName(std::string_view name) {
  const auto alnum = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (name.size() < 3 || name.size() > 63 || !alnum(name.front()) || !alnum(name.back())) {
    return false;
  }
  return name.find("..") == std::string_view::npos &&
         std::ranges::all_of(name, [&](char c) { return alnum(c) || c == '-' || c == '.'; });
}

bool IsNewBucketName(std::string_view name) {
  const auto labels = Split(name, '.');
  const bool address = labels.size() == 4 && std::ranges::all_of(labels, [](const auto& label) {
                         return ParseInt(label).has_value();
                       });
  return IsBucketName(name) && !address && std::ranges::none_of(labels, [](const auto& label) {
           return label.starts_with('-') || label.ends_with('-');
         });
}

std::string_view S3Request::Header(std::string_view name) const {
  return http::FindHeader(headers, name);
}

std::string_view S3Request::Extended(std::string_view name) const {
  const std::string_view amz = Header("x-amz-" + std::string(name));
  return amz.empty() ? Header("x-obs-" + std::string(name)) : amz;
}

std::optional<std::string_view> S3Request::Query(std::string_view name) const {
  const auto it = std::ranges::find(query, name, &QueryPair::name);
  if (it == query.end()) return std::nullopt;
  return it->value;
}

std::string S3Request::Named(std::string_view name) const {
  return (obs ? "x-obs-" : "x-amz-") + std::string(name);
}

S3Result<S3Request> ReadRequest(const http::Request& head, const http::RequestFacts& facts,
                                std::span<const std::string> domains) {
  S3Request request;
  request.method = head.method;
  request.headers = head.headers;
  request.peer = head.peer;
  request.facts = facts;
  const std::string_view target = WithoutAuthority(head.raw_target);
  const size_t question = std::min(target.find('?'), target.size());
  request.raw_path = target.substr(0, question);
  if (request.raw_path.empty()) request.raw_path = "/";
  if (request.raw_path.front() != '/') return Refuse(S3Code::kInvalidUri);
  MUSTER_TRY(ReadQuery(target.substr(std::min(question + 1, target.size())), request));
  MUSTER_TRY(ReadNames(request, domains));
  const bool signs_obs = request.Header("Authorization").starts_with("OBS ") ||
                         (request.Has("AccessKeyId") && request.Has("Signature"));
  request.obs = signs_obs || std::ranges::any_of(request.headers, [](const auto& header) {
                  return BeginsWithWord(header.first, "x-obs-");
                });
  return request;
}

}  // namespace muster::objects
