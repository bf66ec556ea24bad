#include "objects/presign.h"

#include <fmt/format.h>

#include "s3/signature.h"
#include "s3/time_text.h"
#include "s3/uri.h"

namespace muster::objects {

std::string PresignGet(const SignedPlace& place, const KeyPair& pair, int64_t seconds,
                       int64_t wall_ms) {
  const std::string now = s3::CompactDate(wall_ms), day = now.substr(0, 8);
  const std::string scope = fmt::format("{}/{}/s3/aws4_request", day, place.region);
  const std::string path = fmt::format("/{}/{}", place.bucket, place.key);
  const http::Headers headers = {{"host", place.origin.substr(place.origin.find("://") + 3)}};
  const std::string names[] = {"host"};
  const s3::Signable signable{"GET",
                              path,
                              false,
                              {{"X-Amz-Algorithm", "AWS4-HMAC-SHA256"},
                               {"X-Amz-Credential", pair.access_key + "/" + scope},
                               {"X-Amz-Date", now},
                               {"X-Amz-Expires", std::to_string(seconds)},
                               {"X-Amz-SignedHeaders", "host"}},
                              headers};
  const std::string signature =
      s3::SignatureV4(s3::SigningKeyV4(pair.secret_key, day, place.region, "s3"), now, scope,
                      s3::CanonicalRequestV4(signable, names, "UNSIGNED-PAYLOAD"));
  return fmt::format("{}{}?{}&X-Amz-Signature={}", place.origin, s3::UriEncode(path, true),
                     s3::CanonicalQueryV4(signable.query), signature);
}

}  // namespace muster::objects
