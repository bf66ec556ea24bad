#include "s3/signature.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "s3/digest.h"
#include "s3/uri.h"

namespace muster::s3 {
namespace {

// Trimmed, with runs of blanks as one blank.
std::string Folded(std::string_view value) {
  std::string folded;
  for (const char c : Trim(value)) {
    if (c == ' ' && folded.ends_with(' ')) continue;
    folded += c;
  }
  return folded;
}

}  // namespace

std::string SignedValue(const http::Headers& headers, std::string_view name, bool fold) {
  std::string joined;
  bool first = true;
  for (const auto& [header, value] : headers) {
    if (!SameWord(header, name)) continue;
    if (!first) joined += ',';
    joined += fold ? Folded(value) : std::string(Trim(value));
    first = false;
  }
  return joined;
}

std::string CanonicalQueryV4(std::span<const std::pair<std::string, std::string>> query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [name, value] : query) {
    if (name == "X-Amz-Signature") continue;
    pairs.emplace_back(UriEncode(name, false), UriEncode(value, false));
  }
  std::ranges::sort(pairs);
  std::string text;
  for (const auto& [name, value] : pairs) {
    if (!text.empty()) text += '&';
    text.append(name).append("=").append(value);
  }
  return text;
}

std::string SigningKeyV4(std::string_view secret, std::string_view day, std::string_view region,
                         std::string_view service) {
  const std::string of_day = HmacSha256("AWS4" + std::string(secret), day);
  return HmacSha256(HmacSha256(HmacSha256(of_day, region), service), "aws4_request");
}

std::string CanonicalRequestV4(const Signable& request, std::span<const std::string> signed_headers,
                               std::string_view payload_hash) {
  std::string text = std::string(request.method) + "\n";
  text += request.path_is_encoded ? UriEncode(UriDecode(request.path, false).value_or(""), true)
                                  : UriEncode(request.path, true);
  text.append("\n").append(CanonicalQueryV4(request.query)) += '\n';
  for (const std::string& name : signed_headers) {
    text.append(name).append(":").append(SignedValue(request.headers, name, true)) += '\n';
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

}  // namespace muster::s3
