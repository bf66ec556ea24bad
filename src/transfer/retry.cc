#include "transfer/retry.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace muster::transfer {
namespace {

struct NamedRow {
  std::string_view s3_code;
  Remedy remedy;
};
// Error names of S3, OBS and compatible stores. A name has precedence over the status.
constexpr NamedRow kByName[] = {
    {"BadDigest", Remedy::kTryAgain},  // a byte changed in transit
    {"XAmzContentSHA256Mismatch", Remedy::kTryAgain},
    {"IncompleteBody", Remedy::kTryAgain},
    {"InternalError", Remedy::kTryAgain},
    {"OperationAborted", Remedy::kTryAgain},
    {"ConditionalRequestConflict", Remedy::kTryAgain},
    {"RequestTimeout", Remedy::kTryAgain},
    {"ServiceUnavailable", Remedy::kTryAgain},
    {"SlowDown", Remedy::kTryAgain},
    {"Throttling", Remedy::kTryAgain},
    {"ThrottlingException", Remedy::kTryAgain},
    {"TooManyRequests", Remedy::kTryAgain},
    {"BandwidthLimitExceeded", Remedy::kTryAgain},
    {"RequestTimeTooSkewed", Remedy::kSetClock},
    {"RequestExpired", Remedy::kSetClock},
    {"ExpiredToken", Remedy::kNewKeys},
    {"TokenRefreshRequired", Remedy::kNewKeys},
    {"NoSuchUpload", Remedy::kBeginAnew},
    {"InvalidPart", Remedy::kBeginAnew},
    {"PreconditionFailed", Remedy::kBeginAnew},
    {"InvalidRange", Remedy::kBeginAnew},
    {"StorageFull", Remedy::kGiveUp},
    {"NotImplemented", Remedy::kGiveUp},
};

struct StatusRow {
  int status;
  Remedy remedy;
};
constexpr StatusRow kByStatus[] = {
    {408, Remedy::kTryAgain}, {412, Remedy::kBeginAnew}, {416, Remedy::kBeginAnew},
    {425, Remedy::kTryAgain}, {429, Remedy::kTryAgain},  {500, Remedy::kTryAgain},
    {501, Remedy::kGiveUp},   {502, Remedy::kTryAgain},  {503, Remedy::kTryAgain},
    {504, Remedy::kTryAgain}, {507, Remedy::kGiveUp},    {509, Remedy::kTryAgain},
};

Remedy RemedyOf(const Trouble& trouble) {
  for (const auto& [name, remedy] : kByName) {
    if (trouble.s3_code == name) return remedy;
  }
  if (trouble.status != 0) {
    for (const auto& [status, remedy] : kByStatus) {
      if (trouble.status == status) return remedy;
    }
    // A success response with an unusable body.
    return trouble.status / 100 == 2 && trouble.error.code == Code::kCorrupt ? Remedy::kTryAgain
                                                                             : Remedy::kGiveUp;
  }
  switch (trouble.error.code) {
    case Code::kTimeout:
    case Code::kUnavailable:
    case Code::kCorrupt:
      return Remedy::kTryAgain;
    default:
      return Remedy::kGiveUp;  // local disk or local input: a retry does not help
  }
}

}  // namespace

Decision Decide(const Trouble& trouble, int tries, double chance, const RetryLimits& limits) {
  const Remedy remedy = RemedyOf(trouble);
  // The clock and the credentials are corrected only once.
  const bool mended = (remedy == Remedy::kSetClock || remedy == Remedy::kNewKeys) && tries > 1;
  const bool clockless = remedy == Remedy::kSetClock && trouble.server_wall_ms == 0;
  if (remedy == Remedy::kGiveUp || mended || clockless) return {};
  // A restart of the object has its own limit.
  if (remedy == Remedy::kBeginAnew) return {remedy, 0};
  if (tries >= limits.most_tries) return {};
  if (remedy != Remedy::kTryAgain) return {remedy, 0};
  const int doublings = std::min(tries - 1, 20);
  const int64_t wait = std::min(limits.first_wait_ms << doublings, limits.longest_wait_ms);
  // A random wait between one half and the whole.
  return {remedy, wait - static_cast<int64_t>(chance * static_cast<double>(wait) / 2)};
}

}  // namespace muster::transfer
