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

// The formulas of the signatures; authenticate.h decides which one applies.

// The canonical request of version 4; the rest is in s3/signature.h.
std::string CanonicalRequestV4(const S3Request& request,
                               std::span<const std::string> signed_headers,
                               std::string_view payload_hash);

// The string to sign of version 2 and of OBS, which differs in its x- headers. `date`: the Date
// header, or the expiry of a presigned URL. `path`: as sent or encoded again.
std::string StringToSignV2(const S3Request& request, std::string_view date, std::string_view path,
                           std::string_view header_prefix);
std::string SignatureV2(std::string_view secret, std::string_view string_to_sign);

}  // namespace muster::objects
