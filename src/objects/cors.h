#pragma once

#include <string>

#include "http/message.h"
#include "objects/bucket_settings.h"
#include "objects/s3_request.h"

namespace muster::objects {

// The rule that permits `method` with these headers for pages of `origin`; null if there is none.
const CorsRule* FindCorsRule(const BucketSetting& setting, std::string_view origin,
                             std::string_view method, std::string_view wanted_headers);

// Adds the headers to the response for a web page, if a rule of the bucket permits the request.
void AddCorsHeaders(const BucketSettings& settings, const S3Request& request,
                    http::Headers& headers);

// Matches "https://*.example.com" with an origin; at most one '*' for any text.
bool CorsMatches(std::string_view pattern, std::string_view text);

}  // namespace muster::objects
