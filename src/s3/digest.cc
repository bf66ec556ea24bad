#include "s3/digest.h"

#include <cstdlib>
#include <variant>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "s3/crc.h"

namespace muster::s3 {
namespace {

static_assert(std::endian::native == std::endian::little);

class Hash {
 public:
  explicit Hash(const EVP_MD* kind) : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), kind, nullptr) != 1) std::abort();
  }
  void Add(std::string_view bytes) {
    if (EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1) std::abort();
  }
  std::string Finish() {
    std::string digest(EVP_MAX_MD_SIZE, 0);
    unsigned size = 0;
    if (EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(digest.data()),
                           &size) != 1) {
      std::abort();
    }
    digest.resize(size);
    return digest;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

template <typename Word>
std::string BigEndian(Word value) {
  std::string bytes(sizeof(Word), 0);
  for (size_t i = 0; i < sizeof(Word); ++i) {
    bytes[i] = static_cast<char>(value >> (8 * (sizeof(Word) - 1 - i)));
  }
  return bytes;
}

template <typename Word>
Word FromBigEndian(std::string_view bytes) {
  Word value = 0;
  for (const char c : bytes.substr(0, sizeof(Word))) {
    value = static_cast<Word>(value << 8) | static_cast<unsigned char>(c);
  }
  return value;
}

using Any = std::variant<Hash, Crc32, Crc32C, Crc64Nvme>;

Any Make(DigestKind kind) {
  switch (kind) {
    case DigestKind::kMd5:
      return Hash(EVP_md5());
    case DigestKind::kSha1:
      return Hash(EVP_sha1());
    case DigestKind::kSha256:
      return Hash(EVP_sha256());
    case DigestKind::kCrc32:
      return Crc32();
    case DigestKind::kCrc32c:
      return Crc32C();
    case DigestKind::kCrc64Nvme:
      return Crc64Nvme();
  }
  std::abort();
}

std::string Hmac(const EVP_MD* kind, std::string_view key, std::string_view text) {
  std::string digest(EVP_MAX_MD_SIZE, 0);
  unsigned size = 0;
  if (HMAC(kind, key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(),
           reinterpret_cast<unsigned char*>(digest.data()), &size) == nullptr) {
    std::abort();
  }
  digest.resize(size);
  return digest;
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

struct Digest::Impl {
  Any any;
};

Digest::Digest(DigestKind kind) : impl_(std::make_unique<Impl>(Make(kind))) {}
Digest::~Digest() = default;
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;

void Digest::Add(std::string_view bytes) {
  std::visit([&](auto& digest) { digest.Add(bytes); }, impl_->any);
}

std::string Digest::Finish() {
  return std::visit(
      [](auto& digest) {
        if constexpr (std::is_same_v<std::decay_t<decltype(digest)>, Hash>) {
          return digest.Finish();
        } else {
          return BigEndian(digest.value());
        }
      },
      impl_->any);
}

std::string DigestOf(DigestKind kind, std::string_view bytes) {
  Digest digest(kind);
  digest.Add(bytes);
  return digest.Finish();
}

std::string CombineChecksums(DigestKind kind, std::string_view first, std::string_view second,
                             int64_t second_length) {
  switch (kind) {
    case DigestKind::kCrc32:
      return BigEndian(CombineCrc<uint32_t, 0xEDB88320u>(
          FromBigEndian<uint32_t>(first), FromBigEndian<uint32_t>(second), second_length));
    case DigestKind::kCrc32c:
      return BigEndian(CombineCrc<uint32_t, 0x82F63B78u>(
          FromBigEndian<uint32_t>(first), FromBigEndian<uint32_t>(second), second_length));
    case DigestKind::kCrc64Nvme:
      return BigEndian(CombineCrc<uint64_t, 0x9A6C9329AC4BC9B5u>(
          FromBigEndian<uint64_t>(first), FromBigEndian<uint64_t>(second), second_length));
    default:
      std::abort();
  }
}

std::string HmacSha256(std::string_view key, std::string_view text) {
  return Hmac(EVP_sha256(), key, text);
}
std::string HmacSha1(std::string_view key, std::string_view text) {
  return Hmac(EVP_sha1(), key, text);
}

std::string Hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return hex;
}

std::optional<std::string> FromHex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    const int high = HexValue(hex[i]), low = HexValue(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::string Base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, 0);
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(size));
  return text;
}

std::optional<std::string> FromBase64(std::string_view text) {
  if (text.size() % 4 != 0 || text.empty()) {
    return text.empty() ? std::optional<std::string>("") : std::nullopt;
  }
  std::string bytes(text.size() / 4 * 3, 0);
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  bytes.resize(static_cast<size_t>(size) - padding);
  if (Base64(bytes) != text) return std::nullopt;  // one canonical form
  return bytes;
}

bool SameSecret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace muster::s3
