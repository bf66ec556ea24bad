#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "s3/digest.h"

namespace muster::s3 {

// One of the additional checksums of S3: x-amz-checksum-NAME, base64 of the big-endian digest.
struct Checksum {
  DigestKind kind = DigestKind::kCrc32;
  std::string value;       // base64; "…-N" for the composite one of a multipart object
  bool composite = false;  // over the parts' checksums, not over the bytes
};

inline constexpr DigestKind kChecksumKinds[] = {DigestKind::kCrc32, DigestKind::kCrc32c,
                                                DigestKind::kCrc64Nvme, DigestKind::kSha1,
                                                DigestKind::kSha256};
bool IsCrc(DigestKind kind);  // such checksums of parts can be combined to that of the whole

std::string_view ChecksumName(DigestKind kind);                 // "CRC32", as documents write it
std::optional<DigestKind> ChecksumKind(std::string_view name);  // in any case; never kMd5
std::string ChecksumHeader(DigestKind kind);                    // "x-amz-checksum-crc32"
// "ChecksumCRC32", the element of documents.
std::string ChecksumElement(DigestKind kind);
size_t DigestSize(DigestKind kind);

}  // namespace muster::s3
