#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "objects/body_check.h"

namespace muster::objects {

// Copies `length` bytes between files, in the kernel where possible. kCorrupt if the source is
// shorter.
Status CopyBytes(int from, int64_t from_offset, int to, int64_t to_offset, int64_t length);

// Copies through memory and returns the digests.
Result<BodySums> CopyAndSum(int from, int64_t from_offset, int to, int64_t to_offset,
                            int64_t length, std::optional<s3::DigestKind> checksum);

// The raw digest of `length` bytes of a file. kCorrupt if the file is shorter.
Result<std::string> DigestOfBytes(int file, int64_t offset, int64_t length, s3::DigestKind kind);

}  // namespace muster::objects
