#include "objects/cors.h"

#include <algorithm>

#include "base/text.h"

namespace muster::objects {

bool CorsMatches(std::string_view pattern, std::string_view text) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  const std::string_view before = pattern.substr(0, star), after = pattern.substr(star + 1);
  return text.size() >= before.size() + after.size() && text.starts_with(before) &&
         text.ends_with(after);
}

const CorsRule* FindCorsRule(const BucketSetting& setting, std::string_view origin,
                             std::string_view method, std::string_view wanted_headers) {
  for (const CorsRule& rule : setting.cors) {
    const bool origin_fits = std::ranges::any_of(
        rule.origins, [&](const auto& pattern) { return CorsMatches(pattern, origin); });
    const bool method_fits = std::ranges::find(rule.methods, method) != rule.methods.end();
    bool headers_fit = true;
    for (const std::string& wanted : Split(wanted_headers, ',')) {
      const std::string name = Lower(Trim(wanted));
      if (name.empty()) continue;
      headers_fit = headers_fit && std::ranges::any_of(rule.headers, [&](const auto& pattern) {
                      return CorsMatches(Lower(pattern), name);
                    });
    }
    if (origin_fits && method_fits && headers_fit) return &rule;
  }
  return nullptr;
}

void AddCorsHeaders(const BucketSettings& settings, const S3Request& request,
                    http::Headers& headers) {
  const std::string_view origin = request.Header("Origin");
  if (origin.empty() || request.bucket.empty()) return;
  const auto setting = settings.Get(request.bucket);
  const bool preflight = request.method == "OPTIONS";
  const CorsRule* rule = FindCorsRule(
      *setting, origin,
      preflight ? request.Header("Access-Control-Request-Method") : request.method,
      preflight ? request.Header("Access-Control-Request-Headers") : std::string_view());
  if (rule == nullptr) return;
  const bool anyone = std::ranges::find(rule->origins, "*") != rule->origins.end();
  headers.emplace_back("Access-Control-Allow-Origin", anyone ? "*" : std::string(origin));
  headers.emplace_back("Vary", "Origin");
  headers.emplace_back("Access-Control-Allow-Methods", Join(rule->methods, ", "));
  if (preflight) {
    headers.emplace_back("Access-Control-Allow-Headers",
                         request.Header("Access-Control-Request-Headers"));
    if (rule->max_age_s > 0) {
      headers.emplace_back("Access-Control-Max-Age", std::to_string(rule->max_age_s));
    }
  }
  if (!rule->exposed.empty()) {
    headers.emplace_back("Access-Control-Expose-Headers", Join(rule->exposed, ", "));
  }
}

}  // namespace muster::objects
