#pragma once

#include <string>

#include "http/message.h"
#include "objects/bucket_settings.h"
#include "objects/s3_request.h"

namespace muster::objects {

// The rule that lets a page of `origin` use `method` with these headers; null: none does.
const CorsRule* FindCorsRule(const BucketSetting& setting, std::string_view origin,
                             std::string_view method, std::string_view wanted_headers);

// To the answer of a request that a web page sent, when a rule of the bucket allows it.
void AddCorsHeaders(const BucketSettings& settings, const S3Request& request,
                    http::Headers& headers);

// "https://*.example.com" against an origin: at most one '*', for anything.
bool CorsMatches(std::string_view pattern, std::string_view text);

}  // namespace muster::objects
