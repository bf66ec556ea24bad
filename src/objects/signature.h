#pragma once

#include <span>
#include <string>
#include <string_view>

#include "objects/s3_request.h"
#include "s3/signature.h"

namespace muster::objects {

// Whether `name`, in any case, is a sub-resource of S3 or OBS.
bool IsSubResource(std::string_view name);
// Whether a version 2 signature of the dialect with this header prefix covers the query parameter.
bool IsSignedByV2(std::string_view name, std::string_view header_prefix);

// The formulas of the signatures alone; authenticate.h says which applies and what else must hold.

// Version 4 of a request of the store; the rest of it is in s3/signature.h.
std::string CanonicalRequestV4(const S3Request& request,
                               std::span<const std::string> signed_headers,
                               std::string_view payload_hash);

// Version 2, and OBS's own, which differs by its x- headers. `date`: the Date header's place, or
// the expiry of a signed URL. `path`: as sent or encoded again.
std::string StringToSignV2(const S3Request& request, std::string_view date, std::string_view path,
                           std::string_view header_prefix);
std::string SignatureV2(std::string_view secret, std::string_view string_to_sign);

}  // namespace muster::objects
