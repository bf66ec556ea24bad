// The CORS configuration of a bucket, and preflight requests.
#include "base/text.h"
#include "objects/answers.h"
#include "objects/cors.h"
#include "objects/operations.h"
#include "s3/xml.h"

namespace muster::objects {
namespace {

constexpr size_t kMostRules = 100;
constexpr std::string_view kMethods[] = {"GET", "PUT", "POST", "DELETE", "HEAD"};

void Collect(const s3::XmlElement& rule, std::string_view name, std::vector<std::string>& into) {
  for (const s3::XmlElement& child : rule.children) {
    if (child.name == name) into.emplace_back(Trim(child.text));
  }
}

S3Result<std::vector<CorsRule>> ReadRules(const std::string& body) {
  MUSTER_ASSIGN(const s3::XmlElement root, ReadXml(body));
  if (root.name != "CORSConfiguration") return Refuse(S3Code::kMalformedXml);
  std::vector<CorsRule> rules;
  for (const s3::XmlElement& child : root.children) {
    if (child.name != "CORSRule") return Refuse(S3Code::kMalformedXml);
    CorsRule rule;
    Collect(child, "AllowedOrigin", rule.origins);
    Collect(child, "AllowedMethod", rule.methods);
    Collect(child, "AllowedHeader", rule.headers);
    Collect(child, "ExposeHeader", rule.exposed);
    rule.max_age_s = ParseInt(Trim(child.TextOf("MaxAgeSeconds"))).value_or(0);
    for (const std::string& method : rule.methods) {
      if (std::ranges::find(kMethods, method) == std::end(kMethods)) {
        return Refuse(S3Code::kInvalidRequest, "A method of the CORS rules is none of theirs.");
      }
    }
    if (rule.origins.empty() || rule.methods.empty()) return Refuse(S3Code::kMalformedXml);
    rules.push_back(std::move(rule));
  }
  if (rules.empty() || rules.size() > kMostRules) return Refuse(S3Code::kMalformedXml);
  return rules;
}

S3Status Set(const Call& call, std::vector<CorsRule> rules) {
  MUSTER_TRY(call.MayWrite(call.request.bucket, ""));
  MUSTER_TRY(call.parts.store.OpenBucket(call.request.bucket));
  BucketSetting setting = *call.parts.settings.Get(call.request.bucket);
  setting.cors = std::move(rules);
  MUSTER_TRY(call.parts.settings.Set(call.request.bucket, std::move(setting)));
  return {};
}

S3Result<http::Response> Get(const Call& call) {
  MUSTER_TRY(call.MayRead(call.request.bucket, ""));
  MUSTER_TRY(call.parts.store.OpenBucket(call.request.bucket));
  const auto setting = call.parts.settings.Get(call.request.bucket);
  if (setting->cors.empty()) return Refuse(S3Code::kNoSuchCorsConfiguration);
  s3::XmlWriter xml("CORSConfiguration");
  for (const CorsRule& rule : setting->cors) {
    xml.Open("CORSRule");
    for (const auto& origin : rule.origins) xml.Add("AllowedOrigin", origin);
    for (const auto& method : rule.methods) xml.Add("AllowedMethod", method);
    for (const auto& header : rule.headers) xml.Add("AllowedHeader", header);
    for (const auto& header : rule.exposed) xml.Add("ExposeHeader", header);
    if (rule.max_age_s > 0) xml.Add("MaxAgeSeconds", rule.max_age_s);
    xml.Close();
  }
  return XmlResponse(xml.Finish());
}

}  // namespace

// cors.h adds the headers to every response.
void AnswerPreflight(const CallPtr& call) {
  const auto setting = call->parts.settings.Get(call->request.bucket);
  const bool allowed =
      !call->request.bucket.empty() &&
      FindCorsRule(*setting, call->request.Header("Origin"),
                   call->request.Header("Access-Control-Request-Method"),
                   call->request.Header("Access-Control-Request-Headers")) != nullptr;
  if (!allowed) {
    return call->Fail({S3Code::kAccessDenied, "No CORS rule of the bucket allows this request."});
  }
  call->Answer({200, {}, {}});
}

void GetCors(const CallPtr& call) { call->Reply(Get(*call)); }

void PutCors(const CallPtr& call) {
  auto rules = ReadRules(call->body);
  if (!rules) return call->Fail(rules.error());
  if (const auto set = Set(*call, std::move(*rules)); !set) return call->Fail(set.error());
  call->Answer({200, {}, {}});
}

void DeleteCors(const CallPtr& call) {
  if (const auto set = Set(*call, {}); !set) return call->Fail(set.error());
  call->Answer({204, {}, {}});
}

}  // namespace muster::objects
