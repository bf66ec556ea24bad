#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message.h"

namespace muster::s3 {

// The formulas of signature version 4, shared by signers and verifiers.

// The signed parts of a request.
struct Signable {
  std::string_view method;
  std::string_view path;  // as sent, or decoded
  bool path_is_encoded = true;
  std::vector<std::pair<std::string, std::string>> query = {};  // decoded
  const http::Headers& headers;
};

// `day` is "20260131", `scope` "20260131/region/s3/aws4_request".
std::string SigningKeyV4(std::string_view secret, std::string_view day, std::string_view region,
                         std::string_view service);
// `signed_headers` in the order of the request, in lower case.
std::string CanonicalRequestV4(const Signable& request, std::span<const std::string> signed_headers,
                               std::string_view payload_hash);
std::string SignatureV4(std::string_view key, std::string_view timestamp, std::string_view scope,
                        std::string_view canonical_request);

// The signature of a body chunk, or of the trailer after the last one. `chunk_hash` is raw SHA-256.
std::string ChunkSignatureV4(std::string_view key, std::string_view timestamp,
                             std::string_view scope, std::string_view previous,
                             std::string_view chunk_hash);
std::string TrailerSignatureV4(std::string_view key, std::string_view timestamp,
                               std::string_view scope, std::string_view previous,
                               std::string_view trailer_lines);

// Pairs encoded, sorted and joined for version 4; can also be used as a query.
std::string CanonicalQueryV4(std::span<const std::pair<std::string, std::string>> query);

// The values of all headers of one name (lower case), joined in order and trimmed; with `fold`,
// runs of blanks become one.
std::string SignedValue(const http::Headers& headers, std::string_view name, bool fold);

}  // namespace muster::s3
