#pragma once

#ifdef __x86_64__

#include <immintrin.h>

#include "s3/sha256_ways.h"

// Functions that are inlined into those that may use the instructions.
#define MUSTER_SHA_TARGET __attribute__((target("sha,sse4.1,ssse3"), always_inline))

namespace muster::s3 {

// The processor's instructions for SHA-256. For sha256_instructions.cc, and for md5_sha256.cc which
// puts them between others.

// A text's state while its blocks pass, in the order that the instructions want: a, b, e, f and
// c, d, g, h, each from the highest word down.
struct Sha256Run {
  __m128i abef, cdgh;  // behind the last whole block
  __m128i s0, s1;      // within a block
  __m128i words[4];    // sixteen of the schedule
};

MUSTER_SHA_TARGET inline void Open(Sha256Run& r, const Sha256State& state) {
  const auto& w = state.words;
  const auto four = [](uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return _mm_set_epi32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c),
                         static_cast<int>(d));
  };
  r.abef = four(w[0], w[1], w[4], w[5]);
  r.cdgh = four(w[2], w[3], w[6], w[7]);
}

MUSTER_SHA_TARGET inline void Close(const Sha256Run& r, Sha256State& state) {
  alignas(16) uint32_t low[4], high[4];
  _mm_store_si128(reinterpret_cast<__m128i*>(low), r.abef);
  _mm_store_si128(reinterpret_cast<__m128i*>(high), r.cdgh);
  state.words = {low[3], low[2], high[3], high[2], low[1], low[0], high[1], high[0]};
}

MUSTER_SHA_TARGET inline void BeginBlock(Sha256Run& r, const char* block) {
  // Words are big-endian.
  const __m128i turn = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  for (size_t i = 0; i < 4; ++i) {
    const auto* at = reinterpret_cast<const __m128i*>(block + 16 * i);
    r.words[i] = _mm_shuffle_epi8(_mm_loadu_si128(at), turn);
  }
  r.s0 = r.abef;
  r.s1 = r.cdgh;
}

// Four of the 64 rounds, and of the schedule what they make ready.
template <size_t kGroup>
MUSTER_SHA_TARGET inline void Sha256Rounds(Sha256Run& r) {
  __m128i &now = r.words[kGroup % 4], &before = r.words[(kGroup + 3) % 4],
          &next = r.words[(kGroup + 1) % 4];
  const auto* roots = reinterpret_cast<const __m128i*>(kSha256Roots + 4 * kGroup);
  const __m128i sum = _mm_add_epi32(now, _mm_load_si128(roots));
  r.s1 = _mm_sha256rnds2_epu32(r.s1, r.s0, sum);
  if constexpr (kGroup >= 3 && kGroup < 15) {
    next = _mm_sha256msg2_epu32(_mm_add_epi32(next, _mm_alignr_epi8(now, before, 4)), now);
  }
  r.s0 = _mm_sha256rnds2_epu32(r.s0, r.s1, _mm_shuffle_epi32(sum, 0x0e));
  if constexpr (kGroup >= 1 && kGroup < 13) before = _mm_sha256msg1_epu32(before, now);
}

MUSTER_SHA_TARGET inline void EndBlock(Sha256Run& r) {
  r.abef = _mm_add_epi32(r.abef, r.s0);
  r.cdgh = _mm_add_epi32(r.cdgh, r.s1);
}

}  // namespace muster::s3

#endif
