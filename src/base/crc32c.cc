#include "base/crc32c.h"

#include <array>
#include <cstring>

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

namespace muster {
namespace {

constexpr std::array<uint32_t, 256> kTable = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) ? 0x82F63B78u : 0u);
    table[i] = value;
  }
  return table;
}();

uint32_t ByTable(std::string_view bytes, uint32_t crc) {
  for (char c : bytes) crc = kTable[(crc ^ static_cast<uint8_t>(c)) & 0xff] ^ (crc >> 8);
  return crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) uint32_t ByInstruction(std::string_view bytes, uint32_t crc) {
  uint64_t wide = crc;
  size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    wide = _mm_crc32_u64(wide, word);
  }
  auto narrow = static_cast<uint32_t>(wide);
  for (; at < bytes.size(); ++at) narrow = _mm_crc32_u8(narrow, static_cast<uint8_t>(bytes[at]));
  return narrow;
}
#endif

}  // namespace

uint32_t Crc32c(std::string_view bytes, uint32_t seed) {
#ifdef __x86_64__
  // As old as 2008, but no part of the machines that this is compiled for.
  static const bool kHasInstruction = __builtin_cpu_supports("sse4.2");
  if (kHasInstruction) return ~ByInstruction(bytes, ~seed);
#endif
  return ~ByTable(bytes, ~seed);
}

}  // namespace muster
