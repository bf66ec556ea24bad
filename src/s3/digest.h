#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace muster::s3 {

enum class DigestKind { kMd5, kSha1, kSha256, kCrc32, kCrc32c, kCrc64Nvme };

// A digest of bytes in pieces.
class Digest {
 public:
  explicit Digest(DigestKind kind);
  ~Digest();
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;

  void Add(std::string_view bytes);
  std::string Finish();  // raw bytes, a checksum in big-endian order; may be called once

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

std::string DigestOf(DigestKind kind, std::string_view bytes);
// The checksum of two concatenated texts; `kind` is a CRC, both values are raw.
std::string CombineChecksums(DigestKind kind, std::string_view first, std::string_view second,
                             int64_t second_length);
std::string HmacSha256(std::string_view key, std::string_view text);
std::string HmacSha1(std::string_view key, std::string_view text);

std::string Hex(std::string_view bytes);  // lower case
std::optional<std::string> FromHex(std::string_view hex);
std::string Base64(std::string_view bytes);
std::optional<std::string> FromBase64(std::string_view text);
// Takes constant time.
bool SameSecret(std::string_view a, std::string_view b);

}  // namespace muster::s3
