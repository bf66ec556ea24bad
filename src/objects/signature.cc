#include "objects/signature.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "s3/digest.h"
#include "s3/signature.h"

namespace muster::objects {
namespace {

// The query parameters that version 2 signs, of S3 and of OBS.
constexpr std::string_view kSubResources[] = {"accelerate",
                                              "acl",
                                              "analytics",
                                              "append",
                                              "backtosource",
                                              "bucketstatus",
                                              "cors",
                                              "defaultObjectAcl",
                                              "delete",
                                              "deletebucket",
                                              "directcoldaccess",
                                              "dispolicy",
                                              "encryption",
                                              "fileinterface",
                                              "inventory",
                                              "length",
                                              "lifecycle",
                                              "location",
                                              "logging",
                                              "metadata",
                                              "metrics",
                                              "modify",
                                              "name",
                                              "notification",
                                              "object-lock",
                                              "obscompresspolicy",
                                              "partNumber",
                                              "policy",
                                              "policystatus",
                                              "position",
                                              "publicaccessblock",
                                              "quota",
                                              "rename",
                                              "replication",
                                              "requestPayment",
                                              "requestpayment",
                                              "response-cache-control",
                                              "response-content-disposition",
                                              "response-content-encoding",
                                              "response-content-language",
                                              "response-content-type",
                                              "response-expires",
                                              "restore",
                                              "retention",
                                              "select",
                                              "select-type",
                                              "storageClass",
                                              "storageinfo",
                                              "storagePolicy",
                                              "tagging",
                                              "torrent",
                                              "truncate",
                                              "uploadId",
                                              "uploads",
                                              "versionId",
                                              "versioning",
                                              "versions",
                                              "website",
                                              "x-image-process",
                                              "x-image-save-bucket",
                                              "x-image-save-object",
                                              "x-oss-process"};

std::string ResourceV2(const S3Request& request, std::string_view path,
                       std::string_view header_prefix) {
  std::string resource = request.virtual_host ? "/" + request.bucket : std::string();
  resource += path;
  std::vector<std::string> signed_pairs;
  for (const auto& pair : request.query) {
    if (!IsSignedByV2(pair.name, header_prefix)) continue;
    signed_pairs.push_back(pair.has_equals ? pair.name + "=" + pair.value : pair.name);
  }
  std::ranges::sort(signed_pairs);
  if (!signed_pairs.empty()) resource += "?" + Join(signed_pairs, "&");
  return resource;
}

}  // namespace

bool IsSignedByV2(std::string_view name, std::string_view header_prefix) {
  return std::ranges::find(kSubResources, name) != std::end(kSubResources) ||
         BeginsWithWord(name, header_prefix);
}

bool IsSubResource(std::string_view name) {
  return std::ranges::any_of(kSubResources,
                             [&](std::string_view one) { return SameWord(one, name); });
}

std::string CanonicalRequestV4(const S3Request& request,
                               std::span<const std::string> signed_headers,
                               std::string_view payload_hash) {
  s3::Signable signable{
      .method = request.method, .path = request.raw_path, .headers = request.headers};
  for (const auto& pair : request.query) signable.query.emplace_back(pair.name, pair.value);
  return s3::CanonicalRequestV4(signable, signed_headers, payload_hash);
}

std::string StringToSignV2(const S3Request& request, std::string_view date, std::string_view path,
                           std::string_view header_prefix) {
  std::string text = request.method + "\n";
  text.append(Trim(request.Header("Content-MD5"))) += '\n';
  text.append(Trim(request.Header("Content-Type"))) += '\n';
  text.append(date) += '\n';
  std::map<std::string, std::string> extended;
  for (const auto& [header, value] : request.headers) {
    const std::string name = Lower(header);
    if (name.starts_with(header_prefix))
      extended[name] = s3::SignedValue(request.headers, name, false);
  }
  for (const auto& [name, value] : extended) text.append(name).append(":").append(value) += '\n';
  return text + ResourceV2(request, path, header_prefix);
}

std::string SignatureV2(std::string_view secret, std::string_view string_to_sign) {
  return s3::Base64(s3::HmacSha1(secret, string_to_sign));
}

}  // namespace muster::objects
