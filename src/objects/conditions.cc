#include "objects/conditions.h"

#include <fmt/format.h>

#include "base/text.h"
#include "s3/time_text.h"
#include "s3/uri.h"

namespace muster::objects {
namespace {

std::string BareEtag(std::string_view text) {
  std::string etag(Trim(text));
  if (etag.find('%') != std::string::npos) etag = s3::UriDecode(etag, false).value_or(etag);
  if (etag.starts_with("W/")) etag.erase(0, 2);
  if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"') {
    etag = etag.substr(1, etag.size() - 2);
  }
  return etag;
}

// 412 with the name of the condition, which s3fs and others tell cases apart by.
std::unexpected<S3Error> Failed(std::string_view condition) {
  S3Error error(S3Code::kPreconditionFailed,
                "At least one of the pre-conditions you specified did not hold");
  error.details.emplace_back("Condition", condition);
  return std::unexpected(std::move(error));
}

// A copy converts it to 412 with the name of the condition.
std::unexpected<S3Error> NotModified(std::string_view condition) {
  S3Error error(S3Code::kNotModified);
  error.details.emplace_back("Condition", condition);
  return std::unexpected(std::move(error));
}

struct ReadCondition {
  std::string_view match, none_match, modified, unmodified;
};

S3Status CheckAll(const ReadCondition& condition, const ObjectMeta& meta) {
  const int64_t seconds = meta.mtime_ms() / 1000;
  const auto since = s3::ParseHttpDate(Trim(condition.modified));
  const auto until = s3::ParseHttpDate(Trim(condition.unmodified));
  // An ETag condition has precedence; the time applies only without one.
  if (!condition.match.empty()) {
    if (!EtagListHas(condition.match, meta.etag)) return Failed("If-Match");
  } else if (until && seconds > *until / 1000) {
    return Failed("If-Unmodified-Since");
  }
  if (!condition.none_match.empty()) {
    if (EtagListHas(condition.none_match, meta.etag)) return NotModified("If-None-Match");
  } else if (since && seconds <= *since / 1000) {
    return NotModified("If-Modified-Since");
  }
  return {};
}

// An empty value is present and matches nothing.
std::optional<std::string> Given(const S3Request& request, std::string_view name) {
  for (const auto& [header, value] : request.headers) {
    if (SameWord(header, name)) return value;
  }
  return std::nullopt;
}

std::optional<std::string> Given(const s3::XmlElement& object, std::string_view name) {
  const s3::XmlElement* child = object.Find(name);
  return child == nullptr ? std::nullopt : std::optional(child->text);
}

S3Result<RemoveCondition> ReadRemoveCondition(std::optional<std::string> etag,
                                              const std::optional<std::string>& size,
                                              const std::optional<std::string>& modified) {
  RemoveCondition condition{.if_match = std::move(etag)};
  if (size) {
    const auto bytes = ParseInt(Trim(*size));
    if (!bytes || *bytes < 0) return Refuse(S3Code::kInvalidArgument, "The size is no number.");
    condition.size = *bytes;
  }
  if (modified) {
    auto when = s3::ParseHttpDate(Trim(*modified));
    if (!when) when = s3::ParseIsoDate(Trim(*modified));
    if (!when) return Refuse(S3Code::kInvalidArgument, "The time cannot be read.");
    condition.modified_s = *when / 1000;
  }
  return condition;
}

std::unexpected<S3Error> NoSuchRange(int64_t size) {
  S3Error error(S3Code::kInvalidRange);
  error.headers.emplace_back("Content-Range", fmt::format("bytes */{}", size));
  return std::unexpected(std::move(error));
}

}  // namespace

bool EtagListHas(std::string_view list, std::string_view etag) {
  for (const std::string& one : Split(list, ',')) {
    const std::string bare = BareEtag(one);
    if (bare == "*" || bare == etag) return true;
  }
  return false;
}

S3Status WriteCondition::Check(const ObjectMeta* current) const {
  if (!if_match.empty()) {
    if (current == nullptr) return Refuse(S3Code::kNoSuchKey);
    if (!EtagListHas(if_match, current->etag)) return Failed("If-Match");
  }
  if (!if_none_match.empty() && current != nullptr && EtagListHas(if_none_match, current->etag)) {
    return Failed("If-None-Match");
  }
  return {};
}

WriteCondition WriteConditionOf(const S3Request& request) {
  return {std::string(request.Header("If-Match")), std::string(request.Header("If-None-Match"))};
}

S3Status RemoveCondition::Check(const ObjectMeta* current) const {
  if (current == nullptr) return if_match ? S3Status(Refuse(S3Code::kNoSuchKey)) : S3Status();
  if (if_match && !EtagListHas(*if_match, current->etag)) return Failed("If-Match");
  if (size && *size != current->size) return Failed("x-amz-if-match-size");
  if (modified_s && *modified_s != current->mtime_ms() / 1000) {
    return Failed("x-amz-if-match-last-modified-time");
  }
  return {};
}

S3Result<RemoveCondition> RemoveConditionOf(const S3Request& request) {
  for (const std::string_view name :
       {"If-None-Match", "If-Modified-Since", "If-Unmodified-Since"}) {
    if (Given(request, name)) {
      return Refuse(S3Code::kNotImplemented,
                    "The condition " + std::string(name) + " is for reading; nothing was removed.");
    }
  }
  return ReadRemoveCondition(Given(request, "If-Match"), Given(request, "x-amz-if-match-size"),
                             Given(request, "x-amz-if-match-last-modified-time"));
}

S3Result<RemoveCondition> RemoveConditionOf(const s3::XmlElement& object) {
  return ReadRemoveCondition(Given(object, "ETag"), Given(object, "Size"),
                             Given(object, "LastModifiedTime"));
}

S3Status CheckRead(const S3Request& request, const ObjectMeta& meta) {
  return CheckAll({request.Header("If-Match"), request.Header("If-None-Match"),
                   request.Header("If-Modified-Since"), request.Header("If-Unmodified-Since")},
                  meta);
}

S3Status CheckCopySource(const S3Request& request, const ObjectMeta& meta) {
  const S3Status status = CheckAll(
      {request.Extended("copy-source-if-match"), request.Extended("copy-source-if-none-match"),
       request.Extended("copy-source-if-modified-since"),
       request.Extended("copy-source-if-unmodified-since")},
      meta);
  if (status) return {};
  const auto& details = status.error().details;
  return Failed("x-amz-copy-source-" + (details.empty() ? "if-match" : Lower(details[0].second)));
}

S3Result<std::optional<ByteRange>> ReadRange(std::string_view header, int64_t size) {
  const std::string text = Lower(Trim(header));
  constexpr std::string_view kUnit = "bytes=";
  const size_t dash = text.find('-');
  if (!text.starts_with(kUnit) || dash == std::string::npos || text.find(',') != std::string::npos)
    return std::nullopt;
  const std::string_view first =
      Trim(std::string_view(text).substr(kUnit.size(), dash - kUnit.size()));
  const std::string_view last = Trim(std::string_view(text).substr(dash + 1));
  const auto from = ParseInt(first), to = ParseInt(last);
  if ((!first.empty() && (!from || *from < 0)) || (!last.empty() && (!to || *to < 0)) ||
      (first.empty() && last.empty()) || (from && to && *to < *from)) {
    return std::nullopt;
  }
  if (first.empty()) {
    const int64_t length = std::min(*to, size);
    if (length == 0) return NoSuchRange(size);
    return ByteRange{size - length, length};
  }
  if (*from >= size) return NoSuchRange(size);
  const int64_t end = to ? std::min(*to, size - 1) : size - 1;
  return ByteRange{*from, end - *from + 1};
}

}  // namespace muster::objects
