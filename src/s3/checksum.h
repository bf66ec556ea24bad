#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "s3/digest.h"

namespace muster::s3 {

// An additional checksum of S3: x-amz-checksum-NAME, base64 of the big-endian digest.
struct Checksum {
  DigestKind kind = DigestKind::kCrc32;
  std::string value;       // base64; "…-N" for the composite checksum of a multipart object
  bool composite = false;  // over the checksums of the parts rather than over the bytes
};

inline constexpr DigestKind kChecksumKinds[] = {DigestKind::kCrc32, DigestKind::kCrc32c,
                                                DigestKind::kCrc64Nvme, DigestKind::kSha1,
                                                DigestKind::kSha256};
bool IsCrc(DigestKind kind);  // whether checksums of parts can be combined to that of the whole

std::string_view ChecksumName(DigestKind kind);                 // "CRC32", as in XML documents
std::optional<DigestKind> ChecksumKind(std::string_view name);  // in any case; never kMd5
std::string ChecksumHeader(DigestKind kind);                    // "x-amz-checksum-crc32"
// "ChecksumCRC32", the XML element.
std::string ChecksumElement(DigestKind kind);
size_t DigestSize(DigestKind kind);

}  // namespace muster::s3
