#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/gate.h"
#include "http/message.h"
#include "objects/s3_error.h"
#include "s3/xml.h"

namespace muster::objects {

// A request in the terms of S3. Nothing is normalised, because the signature covers the request as
// sent and every byte of a key is significant.
struct S3Request {
  struct QueryPair {
    std::string name, value;  // decoded
    bool has_equals = true;
  };

  std::string method;
  std::string bucket, key;    // decoded; may be empty
  std::string raw_path;       // as sent, begins with '/'
  bool virtual_host = false;  // the bucket is in the Host header rather than in raw_path
  bool obs = false;           // uses x-obs- headers
  std::vector<QueryPair> query;
  http::Headers headers;
  std::string peer;
  http::RequestFacts facts;

  std::string_view Header(std::string_view name) const;
  // "x-amz-NAME", else "x-obs-NAME".
  std::string_view Extended(std::string_view name) const;
  std::optional<std::string_view> Query(std::string_view name) const;
  bool Has(std::string_view name) const { return Query(name).has_value(); }
  // The header name for the response, in the family of the request.
  std::string Named(std::string_view name) const;
};

// `domains`: hosts whose first label may be a bucket, such as "localhost".
S3Result<S3Request> ReadRequest(const http::Request& head, const http::RequestFacts& facts,
                                std::span<const std::string> domains);

// Parses a body as XML; kMalformedXml if it is not.
S3Result<s3::XmlElement> ReadXml(std::string_view body);

bool IsBucketName(std::string_view name);
// The stricter rules for new buckets: no IP address, every label begins and ends with a letter or
// digit.
bool IsNewBucketName(std::string_view name);

}  // namespace muster::objects
