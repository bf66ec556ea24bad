#include "s3/checksum.h"

#include <algorithm>

#include "base/text.h"

namespace muster::s3 {
namespace {

struct Row {
  DigestKind kind;
  std::string_view name;
  size_t size;
};
constexpr Row kRows[] = {{DigestKind::kCrc32, "CRC32", 4},
                         {DigestKind::kCrc32c, "CRC32C", 4},
                         {DigestKind::kCrc64Nvme, "CRC64NVME", 8},
                         {DigestKind::kSha1, "SHA1", 20},
                         {DigestKind::kSha256, "SHA256", 32}};

const Row& RowOf(DigestKind kind) {
  const auto it = std::ranges::find(kRows, kind, &Row::kind);
  return it == std::end(kRows) ? kRows[0] : *it;
}

}  // namespace

std::string_view ChecksumName(DigestKind kind) { return RowOf(kind).name; }

std::optional<DigestKind> ChecksumKind(std::string_view name) {
  const std::string lower = Lower(name);
  for (const Row& row : kRows) {
    if (Lower(row.name) == lower) return row.kind;
  }
  return std::nullopt;
}

bool IsCrc(DigestKind kind) {
  return kind == DigestKind::kCrc32 || kind == DigestKind::kCrc32c ||
         kind == DigestKind::kCrc64Nvme;
}

std::string ChecksumHeader(DigestKind kind) { return "x-amz-checksum-" + Lower(RowOf(kind).name); }
std::string ChecksumElement(DigestKind kind) { return "Checksum" + std::string(RowOf(kind).name); }
size_t DigestSize(DigestKind kind) { return kind == DigestKind::kMd5 ? 16 : RowOf(kind).size; }

}  // namespace muster::s3
