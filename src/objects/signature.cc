#include "objects/signature.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "objects/digest.h"

namespace muster::objects {
namespace {

// The parameters of a query that version 2 signs: those of S3 and those of OBS.
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

// Trimmed, runs of blanks as one.
std::string Folded(std::string_view value) {
  std::string folded;
  for (const char c : Trim(value)) {
    if (c == ' ' && folded.ends_with(' ')) continue;
    folded += c;
  }
  return folded;
}

// The values of all headers of one name, joined in their order.
std::string ValueOf(const S3Request& request, std::string_view name, bool fold) {
  std::string joined;
  bool first = true;
  for (const auto& [header, value] : request.headers) {
    if (Lower(header) != name) continue;
    if (!first) joined += ',';
    joined += fold ? Folded(value) : std::string(Trim(value));
    first = false;
  }
  return joined;
}

std::string CanonicalQueryV4(const S3Request& request) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& pair : request.query) {
    if (pair.name == "X-Amz-Signature") continue;
    pairs.emplace_back(UriEncode(pair.name, false), UriEncode(pair.value, false));
  }
  std::ranges::sort(pairs);
  std::string text;
  for (const auto& [name, value] : pairs) {
    if (!text.empty()) text += '&';
    text.append(name).append("=").append(value);
  }
  return text;
}

std::string ResourceV2(const S3Request& request, std::string_view path,
                       std::string_view header_prefix) {
  std::string resource = request.virtual_host ? "/" + request.bucket : std::string();
  resource += path;
  std::vector<std::string> signed_pairs;
  for (const auto& pair : request.query) {
    const bool known = std::ranges::find(kSubResources, pair.name) != std::end(kSubResources) ||
                       Lower(pair.name).starts_with(header_prefix);
    if (!known) continue;
    signed_pairs.push_back(pair.has_equals ? pair.name + "=" + pair.value : pair.name);
  }
  std::ranges::sort(signed_pairs);
  if (!signed_pairs.empty()) resource += "?" + Join(signed_pairs, "&");
  return resource;
}

}  // namespace

std::string SigningKeyV4(std::string_view secret, std::string_view day, std::string_view region,
                         std::string_view service) {
  const std::string of_day = HmacSha256("AWS4" + std::string(secret), day);
  return HmacSha256(HmacSha256(HmacSha256(of_day, region), service), "aws4_request");
}

std::string CanonicalRequestV4(const S3Request& request,
                               std::span<const std::string> signed_headers,
                               std::string_view payload_hash) {
  std::string text = request.method + "\n";
  text += UriEncode(UriDecode(request.raw_path, false).value_or(""), true);
  text.append("\n").append(CanonicalQueryV4(request)) += '\n';
  for (const std::string& name : signed_headers) {
    text.append(name).append(":").append(ValueOf(request, name, true)) += '\n';
  }
  return text.append("\n").append(Join(signed_headers, ";")).append("\n").append(payload_hash);
}

std::string SignatureV4(std::string_view key, std::string_view timestamp, std::string_view scope,
                        std::string_view canonical_request) {
  return Hex(HmacSha256(key, fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", timestamp, scope,
                                         Hex(DigestOf(DigestKind::kSha256, canonical_request)))));
}

std::string ChunkSignatureV4(std::string_view key, std::string_view timestamp,
                             std::string_view scope, std::string_view previous,
                             std::string_view chunk_hash) {
  static const std::string kOfNothing = Hex(DigestOf(DigestKind::kSha256, ""));
  return Hex(HmacSha256(key, fmt::format("AWS4-HMAC-SHA256-PAYLOAD\n{}\n{}\n{}\n{}\n{}", timestamp,
                                         scope, previous, kOfNothing, Hex(chunk_hash))));
}

std::string TrailerSignatureV4(std::string_view key, std::string_view timestamp,
                               std::string_view scope, std::string_view previous,
                               std::string_view trailer_lines) {
  return Hex(
      HmacSha256(key, fmt::format("AWS4-HMAC-SHA256-TRAILER\n{}\n{}\n{}\n{}", timestamp, scope,
                                  previous, Hex(DigestOf(DigestKind::kSha256, trailer_lines)))));
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
    if (name.starts_with(header_prefix)) extended[name] = ValueOf(request, name, false);
  }
  for (const auto& [name, value] : extended) text.append(name).append(":").append(value) += '\n';
  return text + ResourceV2(request, path, header_prefix);
}

std::string SignatureV2(std::string_view secret, std::string_view string_to_sign) {
  return Base64(HmacSha1(secret, string_to_sign));
}

}  // namespace muster::objects
