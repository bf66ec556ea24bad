#pragma once

#include <span>
#include <string>
#include <string_view>

#include "objects/s3_request.h"

namespace muster::objects {

// The formulas of the signatures alone; authenticate.h says which applies and what else must hold.

// Version 4. `day` is "20260131", `scope` "20260131/region/s3/aws4_request".
std::string SigningKeyV4(std::string_view secret, std::string_view day, std::string_view region,
                         std::string_view service);
// `signed_headers` in the order in which the request lists them, lower case.
std::string CanonicalRequestV4(const S3Request& request,
                               std::span<const std::string> signed_headers,
                               std::string_view payload_hash);
std::string SignatureV4(std::string_view key, std::string_view timestamp, std::string_view scope,
                        std::string_view canonical_request);

// Of one chunk of a body, and of the trailer behind the last. `chunk_hash` is raw SHA-256.
std::string ChunkSignatureV4(std::string_view key, std::string_view timestamp,
                             std::string_view scope, std::string_view previous,
                             std::string_view chunk_hash);
std::string TrailerSignatureV4(std::string_view key, std::string_view timestamp,
                               std::string_view scope, std::string_view previous,
                               std::string_view trailer_lines);

// Version 2, and OBS's own, which differs by its x- headers. `date`: the Date header's place, or
// the expiry of a signed URL. `path`: as sent or encoded again.
std::string StringToSignV2(const S3Request& request, std::string_view date, std::string_view path,
                           std::string_view header_prefix);
std::string SignatureV2(std::string_view secret, std::string_view string_to_sign);

}  // namespace muster::objects
