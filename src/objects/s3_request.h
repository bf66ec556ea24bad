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

// A request as S3 means it: nothing in it was folded or made tidy, for the signature is over what
// was sent and every byte of a key counts.
struct S3Request {
  struct QueryPair {
    std::string name, value;  // decoded
    bool has_equals = true;
  };

  std::string method;
  std::string bucket, key;    // decoded; empty when there is none
  std::string raw_path;       // as sent, begins with '/'
  bool virtual_host = false;  // the bucket came from the Host header, and is not in raw_path
  bool obs = false;           // speaks the x-obs- family of headers
  std::vector<QueryPair> query;
  http::Headers headers;
  std::string peer;
  http::RequestFacts facts;

  std::string_view Header(std::string_view name) const;
  // "x-amz-NAME", else "x-obs-NAME".
  std::string_view Extended(std::string_view name) const;
  std::optional<std::string_view> Query(std::string_view name) const;
  bool Has(std::string_view name) const { return Query(name).has_value(); }
  // The header name for an answer in the request's own family.
  std::string Named(std::string_view name) const;
};

// `domains`: hosts below which a first label is a bucket, such as "localhost".
S3Result<S3Request> ReadRequest(const http::Request& head, const http::RequestFacts& facts,
                                std::span<const std::string> domains);

// A body as XML; kMalformedXml when it is none.
S3Result<s3::XmlElement> ReadXml(std::string_view body);

bool IsBucketName(std::string_view name);
// Stricter, as S3 is for new buckets: no IP address, every label begins and ends alphanumerically.
bool IsNewBucketName(std::string_view name);

}  // namespace muster::objects
