#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "objects/body_check.h"

namespace muster::objects {

// `length` bytes from one file to another, by the kernel where it can. kCorrupt: there were fewer.
Status CopyBytes(int from, int64_t from_offset, int to, int64_t to_offset, int64_t length);

// The same through memory, with the digests of what was copied.
Result<BodySums> CopyAndSum(int from, int64_t from_offset, int to, int64_t to_offset,
                            int64_t length, std::optional<s3::DigestKind> checksum);

// The raw digest of `length` bytes of a file. kCorrupt: there were fewer.
Result<std::string> DigestOfBytes(int file, int64_t offset, int64_t length, s3::DigestKind kind);

}  // namespace muster::objects
