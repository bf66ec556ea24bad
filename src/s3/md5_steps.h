#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "s3/abreast.h"

namespace muster::s3 {

// The steps of MD5. For md5_lanes.cc, and for md5_sha256.cc which puts others between them.

// The whole parts of 2^32 |sin(i + 1)|.
inline constexpr uint32_t kMd5Sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
inline constexpr int kMd5Turns[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

constexpr size_t Md5WordOf(size_t step) {
  constexpr size_t kFirst[4] = {0, 1, 5, 0}, kStep[4] = {1, 5, 3, 7};
  return (kFirst[step / 16] + step % 16 * kStep[step / 16]) % kBlockWords;
}

// A step waits for `b`, which the step before has just made; what can be done before that, is. A
// compiler would add in an order of its own, known constants last: words are kept from it by First,
// vectors by constants that it does not know.
[[gnu::always_inline]] inline uint32_t First(uint32_t word) {
  asm("" : "+r"(word));
  return word;
}
[[gnu::always_inline]] inline const uint32_t* UnknownSines() {
  const uint32_t* sines = kMd5Sines;
  asm("" : "+r"(sines));
  return sines;
}

// The words of one text, wherever they lie.
using Word = uint32_t __attribute__((may_alias, aligned(1)));

// What a step has just made, in a state of four.
template <size_t I, typename Any>
[[gnu::always_inline]] inline Any& MadeByMd5Step(Any (&s)[4]) {
  return s[(64 - I) % 4];
}

// One of the 64 steps. What is inlined here becomes instructions of the function it ends up in.
template <size_t I>
[[gnu::always_inline]] inline void Md5Step(uint32_t (&s)[4], const Word* block) {
  constexpr size_t kRound = I / 16;
  uint32_t &a = s[(64 - I) % 4], &b = s[(65 - I) % 4], &c = s[(66 - I) % 4], &d = s[(67 - I) % 4];
  uint32_t sum = First(a + block[Md5WordOf(I)] + kMd5Sines[I]);
  if constexpr (kRound == 0) sum += d ^ (b & First(c ^ d));
  if constexpr (kRound == 1) sum = First(sum + (~d & c)) + (d & b);
  if constexpr (kRound == 2) sum += b ^ First(c ^ d);
  if constexpr (kRound == 3) sum += c ^ (b | First(~d));
  a = b + std::rotl(sum, kMd5Turns[kRound][I % 4]);
}

// The same for a vector with a word of each text; three are mixed by one instruction.
template <size_t I, typename Vector>
[[gnu::always_inline]] inline void Md5Step(Vector (&s)[4], const Vector* block,
                                           const uint32_t* sines) {
  constexpr size_t kRound = I / 16;
  Vector &a = s[(64 - I) % 4], &b = s[(65 - I) % 4], &c = s[(66 - I) % 4], &d = s[(67 - I) % 4];
  Vector sum = a + block[Md5WordOf(I)] + sines[I];
  if constexpr (kRound == 0) sum += d ^ (b & (c ^ d));
  if constexpr (kRound == 1) sum += (d & b) | (~d & c);
  if constexpr (kRound == 2) sum += b ^ (c ^ d);
  if constexpr (kRound == 3) sum += c ^ (b | ~d);
  constexpr int kTurn = kMd5Turns[kRound][I % 4];
  a = b + ((sum << kTurn) | (sum >> (32 - kTurn)));
}

using Md5Steps = std::make_index_sequence<64>;

}  // namespace muster::s3
