#include "objects/post_policy.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "objects/signature.h"
#include "s3/digest.h"
#include "s3/signature.h"
#include "s3/time_text.h"

namespace muster::objects {
namespace {

std::unexpected<S3Error> Invalid(std::string_view why) {
  return Refuse(S3Code::kInvalidPolicyDocument, fmt::format("Invalid Policy: {}", why));
}

std::unexpected<S3Error> Denied(std::string_view why) {
  return Refuse(S3Code::kAccessDenied, fmt::format("Invalid according to Policy: {}", why));
}

std::optional<int64_t> NumberIn(const json::value& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_string()) return ParseInt(value.get_string().c_str());
  return std::nullopt;
}

// One policy while it is held against a form.
class Policy {
 public:
  Policy(const PostForm& form, std::string_view bucket) : form_(form), bucket_(bucket) {}

  S3Status Check(const json::value& condition) {
    if (const auto* pairs = condition.if_object()) return CheckPairs(*pairs);
    const auto* words = condition.if_array();
    if (words == nullptr || words->size() != 3 || !(*words)[0].is_string()) {
      return Invalid("A condition must be an object or a list of three.");
    }
    const std::string what = Lower((*words)[0].get_string().c_str());
    if (what == "content-length-range") return CheckRange((*words)[1], (*words)[2]);
    if ((what != "eq" && what != "starts-with") || !(*words)[1].is_string() ||
        !(*words)[2].is_string()) {
      return Invalid("A condition must be eq, starts-with or content-length-range.");
    }
    const std::string_view field = (*words)[1].get_string().c_str();
    if (!field.starts_with('$')) return Invalid("A field must begin with $.");
    return Compare(field.substr(1), (*words)[2].get_string().c_str(), what == "starts-with");
  }

  S3Status CheckCovered() const {
    for (const auto& [name, value] : form_.fields) {
      const bool free = name == "policy" || name == "signature" || name == "x-amz-signature" ||
                        name == "awsaccesskeyid" || name == "accesskeyid" ||
                        name.starts_with("x-ignore-") || name.starts_with("x-amz-checksum-");
      if (!free && !covered_.contains(name)) return Denied("Extra input fields: " + name);
    }
    if (!covered_.contains("bucket")) return Denied("Extra input fields: bucket");
    return {};
  }

  const LengthRange& range() const { return range_; }

 private:
  S3Status CheckPairs(const json::object& pairs) {
    if (pairs.empty()) return Invalid("A condition is empty.");
    for (const auto& [name, value] : pairs) {
      if (!value.is_string()) return Invalid("The value of a condition must be a text.");
      MUSTER_TRY(Compare(name, value.get_string().c_str(), false));
    }
    return {};
  }

  S3Status CheckRange(const json::value& least, const json::value& most) {
    const auto from = NumberIn(least), to = NumberIn(most);
    if (!from || !to || *from < 0 || *to < *from) {
      return Invalid("content-length-range must be two numbers.");
    }
    range_ = {std::max(range_.least, *from), std::min(range_.most, *to)};
    return {};
  }

  S3Status Compare(std::string_view field, std::string_view wanted, bool prefix) {
    const std::string name = Lower(field);
    covered_.insert(name);
    const std::string_view value = name == "bucket" ? bucket_ : form_.Field(name);
    if (prefix ? value.starts_with(wanted) : value == wanted) return {};
    return Denied(fmt::format("Policy Condition failed: [\"{}\", \"${}\", \"{}\"]",
                              prefix ? "starts-with" : "eq", field, wanted));
  }

  const PostForm& form_;
  const std::string_view bucket_;
  std::set<std::string> covered_;
  LengthRange range_;
};

std::unexpected<S3Error> MissingField(std::string_view name) {
  return Refuse(S3Code::kInvalidArgument,
                fmt::format("Bucket POST must contain a field named '{}'. If it is specified, "
                            "please check the order of the fields.",
                            name));
}

S3Result<std::shared_ptr<const KeyPair>> KeyOf(KeyRing& ring, std::string_view access_key) {
  auto key = ring.Find(access_key);
  if (!key) return Refuse(S3Code::kInvalidAccessKeyId);
  return key;
}

S3Result<std::shared_ptr<const KeyPair>> ByVersion4(const PostForm& form, KeyRing& ring) {
  const auto words = Split(form.Field("x-amz-credential"), '/');
  if (form.Field("x-amz-algorithm") != "AWS4-HMAC-SHA256") {
    return Refuse(S3Code::kInvalidArgument, "x-amz-algorithm must be AWS4-HMAC-SHA256.");
  }
  if (words.size() != 5 || words[3] != "s3" || words[4] != "aws4_request" ||
      !form.Field("x-amz-date").starts_with(words[1])) {
    return Refuse(S3Code::kInvalidArgument, "x-amz-credential or x-amz-date is not valid.");
  }
  MUSTER_ASSIGN(auto key, KeyOf(ring, words[0]));
  const std::string signing = s3::SigningKeyV4(key->secret_key, words[1], words[2], words[3]);
  const std::string signature = s3::Hex(s3::HmacSha256(signing, form.Field("policy")));
  if (!s3::SameSecret(signature, form.Field("x-amz-signature"))) {
    return Refuse(S3Code::kSignatureDoesNotMatch);
  }
  return key;
}

}  // namespace

S3Result<LengthRange> CheckPolicy(std::string_view policy, const PostForm& form,
                                  std::string_view bucket, int64_t now_ms) {
  const auto document = ParseJson(policy);
  const auto* object = document ? document->if_object() : nullptr;
  if (object == nullptr) return Invalid("Invalid JSON.");
  const std::string_view expiration = GetString(*object, "expiration");
  if (expiration.empty()) return Invalid("Policy missing expiration.");
  const auto until = s3::ParseIsoDate(expiration);
  if (!until) return Invalid("Invalid 'expiration' value.");
  if (*until < now_ms) return Denied("Policy expired.");
  const auto* conditions = GetArray(*object, "conditions");
  if (conditions == nullptr) return Invalid("Policy missing conditions.");
  Policy checked(form, bucket);
  for (const json::value& condition : *conditions) MUSTER_TRY(checked.Check(condition));
  MUSTER_TRY(checked.CheckCovered());
  return checked.range();
}

S3Result<std::shared_ptr<const KeyPair>> AuthenticateForm(const PostForm& form, KeyRing& ring,
                                                          bool accept_v2) {
  if (form.Field("policy").empty()) return Refuse(S3Code::kAccessDenied);
  if (!form.Field("x-amz-signature").empty()) return ByVersion4(form, ring);
  if (!accept_v2) {
    return Refuse(S3Code::kInvalidRequest,
                  "The authorization mechanism you have provided is not supported. Please use "
                  "AWS4-HMAC-SHA256.");
  }
  if (form.Field("signature").empty()) return MissingField("signature");
  const std::string_view aws = form.Field("awsaccesskeyid");
  const std::string_view access_key = aws.empty() ? form.Field("accesskeyid") : aws;
  if (access_key.empty()) return MissingField("AWSAccessKeyId");
  MUSTER_ASSIGN(auto key, KeyOf(ring, access_key));
  if (!s3::SameSecret(SignatureV2(key->secret_key, form.Field("policy")),
                      form.Field("signature"))) {
    return Refuse(S3Code::kSignatureDoesNotMatch);
  }
  return key;
}

}  // namespace muster::objects
