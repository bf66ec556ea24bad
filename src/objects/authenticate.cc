#include "objects/authenticate.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"
#include "objects/operations.h"
#include "objects/signature.h"
#include "s3/digest.h"
#include "s3/time_text.h"
#include "s3/uri.h"

namespace muster::objects {
namespace {

constexpr int64_t kMostSkewMs = 15 * 60 * 1000;
constexpr int64_t kLongestLifeS = 7 * 24 * 3600;
constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

// The parts of a version 4 signature, from header or query.
struct PartsV4 {
  std::string access_key, day, region, service;
  std::vector<std::string> signed_headers;
  std::string signature;

  std::string scope() const { return fmt::format("{}/{}/{}/aws4_request", day, region, service); }
};

// "AK/20260131/region/s3/aws4_request"
bool ReadCredential(std::string_view text, PartsV4& parts) {
  const auto words = Split(text, '/');
  if (words.size() < 5 || words.back() != "aws4_request") return false;
  const size_t last = words.size() - 1;
  parts.service = words[last - 1];
  parts.region = words[last - 2];
  parts.day = words[last - 3];
  parts.access_key = Join(std::span(words).first(last - 3), "/");
  return parts.service == "s3" && parts.day.size() == 8 && !parts.access_key.empty();
}

S3Result<PartsV4> ReadHeaderV4(std::string_view text) {
  PartsV4 parts;
  bool credential = false;
  for (const std::string& field : Split(text, ',')) {
    const std::string_view trimmed = Trim(field);
    const size_t equals = std::min(trimmed.find('='), trimmed.size());
    const std::string_view name = trimmed.substr(0, equals);
    const std::string_view value = trimmed.substr(std::min(equals + 1, trimmed.size()));
    if (name == "Credential") credential = ReadCredential(value, parts);
    if (name == "SignedHeaders") parts.signed_headers = Split(Lower(value), ';');
    if (name == "Signature") parts.signature = value;
  }
  if (!credential || parts.signed_headers.empty() || parts.signature.empty()) {
    return Refuse(S3Code::kAuthorizationHeaderMalformed);
  }
  return parts;
}

bool IsExtensionHeader(std::string_view name) {
  return BeginsWithWord(name, "x-amz-") || BeginsWithWord(name, "x-obs-");
}

// The refusal of S3 for headers that somebody may have added to a signed request.
S3Status RefuseUnsigned(const std::vector<std::string>& headers) {
  if (headers.empty()) return {};
  S3Error error(S3Code::kAccessDenied,
                "There were headers present in the request which were not signed");
  error.details.emplace_back("HeadersNotSigned", Join(headers, ", "));
  return std::unexpected(std::move(error));
}

S3Status CheckSignedHeaders(const S3Request& request, const PartsV4& parts) {
  const auto is_signed = [&](std::string_view name) {
    return std::ranges::any_of(parts.signed_headers,
                               [&](const std::string& one) { return SameWord(one, name); });
  };
  std::vector<std::string> missing;
  if (!is_signed("host")) missing.emplace_back("host");
  for (const auto& [header, value] : request.headers) {
    if (IsExtensionHeader(header) && !is_signed(header)) missing.push_back(Lower(header));
  }
  return RefuseUnsigned(missing);
}

// Version 2 signs the extension headers of one dialect and the sub-resources it knows. Everything
// else that changes what a request does could be added to a signed URL by anybody who has it.
// `list-type` is the exception: both listings show the same keys.
S3Status CheckCoverageV2(const S3Request& request, std::string_view prefix) {
  std::vector<std::string> missing;
  for (const auto& [header, value] : request.headers) {
    if (IsExtensionHeader(header) && !BeginsWithWord(header, prefix)) {
      missing.push_back(Lower(header));
    }
  }
  MUSTER_TRY(RefuseUnsigned(missing));
  for (const auto& pair : request.query) {
    const bool matters = BeginsWithWord(pair.name, "muster-") || IsExtensionHeader(pair.name) ||
                         SelectsOperation(pair.name);
    if (!matters || pair.name == "list-type" || IsSignedByV2(pair.name, prefix)) continue;
    return Refuse(S3Code::kAccessDenied,
                  fmt::format("A signature of version 2 does not cover the query parameter \"{}\". "
                              "Sign the request with version 4 (AWS4-HMAC-SHA256).",
                              Printable(pair.name)));
  }
  return {};
}

S3Status CheckSkew(int64_t when_ms, int64_t now_ms) {
  if (std::abs(when_ms - now_ms) > kMostSkewMs) return Refuse(S3Code::kRequestTimeTooSkewed);
  return {};
}

S3Status ReadPayload(std::string_view text, Caller& caller) {
  constexpr std::pair<std::string_view, Payload> kNamed[] = {
      {"UNSIGNED-PAYLOAD", Payload::kUnsigned},
      {"STREAMING-AWS4-HMAC-SHA256-PAYLOAD", Payload::kSignedChunks},
      {"STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", Payload::kSignedTrailer},
      {"STREAMING-UNSIGNED-PAYLOAD-TRAILER", Payload::kUnsignedTrailer}};
  for (const auto& [name, payload] : kNamed) {
    if (text == name) {
      caller.payload = payload;
      return {};
    }
  }
  if (text.starts_with("STREAMING-")) return Refuse(S3Code::kNotImplemented);
  const auto digest = s3::FromHex(text);
  if (!digest || digest->size() != 32) {
    return Refuse(S3Code::kInvalidRequest,
                  "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a SHA-256, or one of the "
                  "STREAMING- forms.");
  }
  caller.payload = Payload::kHash;
  caller.payload_hash = Lower(text);
  return {};
}

S3Result<std::shared_ptr<const KeyPair>> KeyOf(KeyRing& ring, std::string_view access_key) {
  auto key = ring.Find(access_key);
  if (!key) return Refuse(S3Code::kInvalidAccessKeyId);
  return key;
}

// A client signs a day's requests with one key, which takes four HMACs to make: each thread keeps
// the last.
const std::string& SigningKeyOf(const KeyPair& pair, const PartsV4& parts) {
  struct Last {
    std::string secret_key, day, region, service, key;
  };
  thread_local Last last;
  if (last.secret_key != pair.secret_key || last.day != parts.day || last.region != parts.region ||
      last.service != parts.service) {
    last = {pair.secret_key, parts.day, parts.region, parts.service,
            s3::SigningKeyV4(pair.secret_key, parts.day, parts.region, parts.service)};
  }
  return last.key;
}

S3Result<Caller> ProveV4(const S3Request& request, KeyRing& ring, const PartsV4& parts,
                         std::string_view timestamp, std::string_view payload_text) {
  Caller caller;
  MUSTER_ASSIGN(caller.key, KeyOf(ring, parts.access_key));
  MUSTER_TRY(CheckSignedHeaders(request, parts));
  MUSTER_TRY(ReadPayload(payload_text, caller));
  caller.timestamp = timestamp;
  caller.scope = parts.scope();
  caller.signing_key = SigningKeyOf(*caller.key, parts);
  caller.signature =
      s3::SignatureV4(caller.signing_key, timestamp, caller.scope,
                      CanonicalRequestV4(request, parts.signed_headers, payload_text));
  if (!s3::SameSecret(caller.signature, parts.signature)) {
    return Refuse(S3Code::kSignatureDoesNotMatch);
  }
  return caller;
}

S3Result<Caller> ByHeaderV4(const S3Request& request, KeyRing& ring, int64_t now_ms) {
  MUSTER_ASSIGN(const PartsV4 parts,
                ReadHeaderV4(request.Header("Authorization").substr(kAlgorithm.size())));
  std::string timestamp(Trim(request.Header("x-amz-date")));
  std::optional<int64_t> when = s3::ParseCompactDate(timestamp);
  if (timestamp.empty()) {
    when = s3::ParseHttpDate(Trim(request.Header("Date")));
    if (when) timestamp = s3::CompactDate(*when);
  }
  if (!when) {
    return Refuse(S3Code::kAccessDenied, "A signed request needs a valid x-amz-date or Date.");
  }
  MUSTER_TRY(CheckSkew(*when, now_ms));
  if (!timestamp.starts_with(parts.day)) return Refuse(S3Code::kAuthorizationHeaderMalformed);
  const std::string_view payload = Trim(request.Header("x-amz-content-sha256"));
  if (payload.empty()) {
    return Refuse(S3Code::kInvalidRequest, "The header x-amz-content-sha256 is missing.");
  }
  return ProveV4(request, ring, parts, timestamp, payload);
}

S3Result<Caller> ByQueryV4(const S3Request& request, KeyRing& ring, int64_t now_ms) {
  PartsV4 parts;
  const auto value = [&](std::string_view name) {
    return std::string(request.Query(name).value_or(""));
  };
  const std::string timestamp = value("X-Amz-Date");
  const auto when = s3::ParseCompactDate(timestamp);
  const auto life = ParseInt(value("X-Amz-Expires"));
  parts.signed_headers = Split(Lower(value("X-Amz-SignedHeaders")), ';');
  parts.signature = value("X-Amz-Signature");
  const bool whole = value("X-Amz-Algorithm") == kAlgorithm &&
                     ReadCredential(value("X-Amz-Credential"), parts) && when && life &&
                     *life >= 0 && *life <= kLongestLifeS && timestamp.starts_with(parts.day);
  if (!whole) return Refuse(S3Code::kAuthorizationQueryParametersError);
  if (*when - now_ms > kMostSkewMs) return Refuse(S3Code::kRequestTimeTooSkewed);
  if (now_ms > *when + *life * 1000) {
    return Refuse(S3Code::kAccessDenied, "The signed URL has expired.");
  }
  std::string payload = value("X-Amz-Content-Sha256");
  if (payload.empty()) payload = Trim(request.Header("x-amz-content-sha256"));
  if (payload.empty()) payload = "UNSIGNED-PAYLOAD";
  return ProveV4(request, ring, parts, timestamp, payload);
}

// A signature of version 2 is over the path as it was sent; some signers encode it once more, and
// where it is a bucket alone some end it with '/', whether they send that or not.
std::vector<std::string> PathsOfV2(const S3Request& request) {
  std::vector<std::string> paths = {
      request.raw_path, s3::UriEncode(s3::UriDecode(request.raw_path, false).value_or(""), true)};
  if (!request.virtual_host && !request.bucket.empty() && request.key.empty()) {
    paths.push_back("/" + request.bucket);
    paths.push_back("/" + request.bucket + "/");
  }
  return paths;
}

S3Result<Caller> ProveV2(const S3Request& request, KeyRing& ring, std::string_view access_key,
                         std::string_view signature, std::string_view date,
                         std::string_view prefix) {
  MUSTER_TRY(CheckCoverageV2(request, prefix));
  Caller caller;
  MUSTER_ASSIGN(caller.key, KeyOf(ring, access_key));
  for (const std::string& path : PathsOfV2(request)) {
    const std::string wanted =
        SignatureV2(caller.key->secret_key, StringToSignV2(request, date, path, prefix));
    if (s3::SameSecret(wanted, signature)) return caller;
  }
  return Refuse(S3Code::kSignatureDoesNotMatch);
}

S3Result<Caller> ByHeaderV2(const S3Request& request, KeyRing& ring, int64_t now_ms) {
  const std::string_view text = request.Header("Authorization");
  const bool obs = text.starts_with("OBS ");
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return Refuse(S3Code::kAuthorizationHeaderMalformed);
  const std::string prefix = obs ? "x-obs-" : "x-amz-";
  const std::string_view own_date = Trim(request.Header(prefix + "date"));
  const std::string_view date = own_date.empty() ? Trim(request.Header("Date")) : own_date;
  auto when = s3::ParseHttpDate(date);
  if (!when) when = s3::ParseCompactDate(date);
  if (!when) return Refuse(S3Code::kAccessDenied, "A signed request needs a valid Date.");
  MUSTER_TRY(CheckSkew(*when, now_ms));
  return ProveV2(request, ring, Trim(text.substr(4, colon - 4)), Trim(text.substr(colon + 1)),
                 own_date.empty() ? date : std::string_view(), prefix);
}

S3Result<Caller> ByQueryV2(const S3Request& request, KeyRing& ring, int64_t now_ms) {
  const auto aws_key = request.Query("AWSAccessKeyId");
  const auto expires = ParseInt(request.Query("Expires").value_or(""));
  if (!expires) {
    return Refuse(S3Code::kAccessDenied, "A signed URL needs Expires as seconds since 1970.");
  }
  if (*expires < now_ms / 1000) {
    return Refuse(S3Code::kAccessDenied, "The signed URL has expired.");
  }
  return ProveV2(request, ring, aws_key ? *aws_key : request.Query("AccessKeyId").value_or(""),
                 request.Query("Signature").value_or(""), *request.Query("Expires"),
                 aws_key ? "x-amz-" : "x-obs-");
}

}  // namespace

S3Result<Caller> Authenticate(const S3Request& request, KeyRing& ring, int64_t now_ms,
                              bool accept_v2) {
  const std::string_view header = request.Header("Authorization");
  const auto count = std::ranges::count_if(
      request.headers, [](const auto& one) { return SameWord(one.first, "Authorization"); });
  if (count > 1) {
    return Refuse(S3Code::kInvalidArgument, "The Authorization header is there more than once.");
  }
  const bool query_v4 = request.Has("X-Amz-Algorithm") || request.Has("X-Amz-Signature");
  const bool query_v2 = request.Has("Signature");
  if (!header.empty() && (query_v4 || query_v2)) {
    return Refuse(S3Code::kInvalidArgument,
                  "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, "
                  "Signature query string parameter or the Authorization header should be "
                  "specified");
  }
  const bool header_v2 = header.starts_with("AWS ") || header.starts_with("OBS ");
  if (!accept_v2 && (header_v2 || (query_v2 && !query_v4))) {
    return Refuse(S3Code::kInvalidRequest,
                  "The authorization mechanism you have provided is not supported. Please use "
                  "AWS4-HMAC-SHA256.");
  }
  if (header.starts_with("AWS4-HMAC-SHA256 ")) return ByHeaderV4(request, ring, now_ms);
  if (header_v2) return ByHeaderV2(request, ring, now_ms);
  if (!header.empty()) {
    return Refuse(S3Code::kInvalidArgument, "Unsupported Authorization Type");
  }
  if (query_v4) return ByQueryV4(request, ring, now_ms);
  if (query_v2) return ByQueryV2(request, ring, now_ms);
  return Refuse(S3Code::kAccessDenied);
}

}  // namespace muster::objects
