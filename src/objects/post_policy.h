#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "objects/form_reader.h"
#include "objects/key_ring.h"
#include "objects/s3_error.h"

namespace muster::objects {

struct LengthRange {
  int64_t least = 0;
  int64_t most = std::numeric_limits<int64_t>::max();
};

// Whether the policy of a form (JSON) is valid now and allows every field of it. Pure. The policy
// must name every field but the signature, the key of version 2, the policy itself, checksums, and
// x-ignore-…; `bucket` counts as a field. What it says of the file's length.
S3Result<LengthRange> CheckPolicy(std::string_view policy, const PostForm& form,
                                  std::string_view bucket, int64_t now_ms);

// Whose form it is, by the signature of its policy, in version 4, version 2 or that of OBS.
S3Result<std::shared_ptr<const KeyPair>> AuthenticateForm(const PostForm& form, KeyRing& ring,
                                                          bool accept_v2);

}  // namespace muster::objects
