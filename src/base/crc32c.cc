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

// The crc32 instruction has a latency of three cycles and can start every cycle: three independent
// ranges keep the unit busy.
constexpr size_t kStretch = 1024;

// The CRC register after a range of zero bytes, looked up by each of its bytes.
using Advance = std::array<std::array<uint32_t, 256>, 4>;
constexpr Advance kAdvance = [] {
  std::array<uint32_t, 32> by_bit{};
  for (size_t bit = 0; bit < 32; ++bit) {
    uint32_t crc = 1u << bit;
    for (size_t i = 0; i < kStretch; ++i) crc = kTable[crc & 0xff] ^ (crc >> 8);
    by_bit[bit] = crc;
  }
  Advance table{};
  for (size_t byte = 0; byte < 4; ++byte) {
    for (size_t value = 0; value < 256; ++value) {
      for (size_t bit = 0; bit < 8; ++bit) {
        table[byte][value] ^= (value >> bit & 1) != 0 ? by_bit[8 * byte + bit] : 0;
      }
    }
  }
  return table;
}();

uint64_t AdvanceStretch(uint64_t crc) {
  return kAdvance[0][crc & 0xff] ^ kAdvance[1][crc >> 8 & 0xff] ^ kAdvance[2][crc >> 16 & 0xff] ^
         kAdvance[3][crc >> 24 & 0xff];
}

uint64_t WordAt(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

__attribute__((target("sse4.2"))) uint32_t ByInstruction(std::string_view bytes, uint32_t crc) {
  uint64_t first = crc;
  for (; bytes.size() >= 3 * kStretch; bytes.remove_prefix(3 * kStretch)) {
    uint64_t second = 0, third = 0;
    for (size_t at = 0; at < kStretch; at += 8) {
      first = _mm_crc32_u64(first, WordAt(bytes.data() + at));
      second = _mm_crc32_u64(second, WordAt(bytes.data() + kStretch + at));
      third = _mm_crc32_u64(third, WordAt(bytes.data() + 2 * kStretch + at));
    }
    first = AdvanceStretch(AdvanceStretch(first) ^ second) ^ third;
  }
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    first = _mm_crc32_u64(first, WordAt(bytes.data()));
  }
  auto narrow = static_cast<uint32_t>(first);
  for (const char c : bytes) narrow = _mm_crc32_u8(narrow, static_cast<uint8_t>(c));
  return narrow;
}
#endif

}  // namespace

uint32_t Crc32c(std::string_view bytes, uint32_t seed) {
#ifdef __x86_64__
  // SSE 4.2 dates from 2008 but is not part of the baseline that the compiler targets.
  static const bool kHasInstruction = __builtin_cpu_supports("sse4.2");
  if (kHasInstruction) return ~ByInstruction(bytes, ~seed);
#endif
  return ~ByTable(bytes, ~seed);
}

}  // namespace muster
