#include "s3/sha256_blocks.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace muster::s3 {

#ifdef __x86_64__

namespace {

#define MUSTER_SHA_TARGET __attribute__((target("sha,sse4.1,ssse3"), always_inline))

// The first bits of the cube roots of the first 64 primes.
alignas(16) constexpr uint32_t kRoots[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// A text's state while its blocks pass, in the order that the instructions want: a, b, e, f and
// c, d, g, h, each from the highest word down.
struct Running {
  __m128i abef, cdgh;  // behind the last whole block
  __m128i s0, s1;      // within a block
  __m128i words[4];    // sixteen of the schedule
};

MUSTER_SHA_TARGET inline void Open(Running& r, const Sha256State& state) {
  const auto& w = state.words;
  const auto four = [](uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return _mm_set_epi32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c),
                         static_cast<int>(d));
  };
  r.abef = four(w[0], w[1], w[4], w[5]);
  r.cdgh = four(w[2], w[3], w[6], w[7]);
}

MUSTER_SHA_TARGET inline void Close(const Running& r, Sha256State& state) {
  alignas(16) uint32_t low[4], high[4];
  _mm_store_si128(reinterpret_cast<__m128i*>(low), r.abef);
  _mm_store_si128(reinterpret_cast<__m128i*>(high), r.cdgh);
  state.words = {low[3], low[2], high[3], high[2], low[1], low[0], high[1], high[0]};
}

MUSTER_SHA_TARGET inline void BeginBlock(Running& r, const char* block) {
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
MUSTER_SHA_TARGET inline void Rounds(Running& r) {
  __m128i &now = r.words[kGroup % 4], &before = r.words[(kGroup + 3) % 4],
          &next = r.words[(kGroup + 1) % 4];
  const auto* roots = reinterpret_cast<const __m128i*>(kRoots + 4 * kGroup);
  const __m128i sum = _mm_add_epi32(now, _mm_load_si128(roots));
  r.s1 = _mm_sha256rnds2_epu32(r.s1, r.s0, sum);
  if constexpr (kGroup >= 3 && kGroup < 15) {
    next = _mm_sha256msg2_epu32(_mm_add_epi32(next, _mm_alignr_epi8(now, before, 4)), now);
  }
  r.s0 = _mm_sha256rnds2_epu32(r.s0, r.s1, _mm_shuffle_epi32(sum, 0x0e));
  if constexpr (kGroup >= 1 && kGroup < 13) before = _mm_sha256msg1_epu32(before, now);
}

MUSTER_SHA_TARGET inline void EndBlock(Running& r) {
  r.abef = _mm_add_epi32(r.abef, r.s0);
  r.cdgh = _mm_add_epi32(r.cdgh, r.s1);
}

template <size_t... kGroups>
MUSTER_SHA_TARGET inline void RoundsOfOne(Running& r, std::index_sequence<kGroups...> /*all*/) {
  (Rounds<kGroups>(r), ...);
}

template <size_t... kGroups>
MUSTER_SHA_TARGET inline void RoundsOfTwo(Running& r, Running& other,
                                          std::index_sequence<kGroups...> /*all*/) {
  ((Rounds<kGroups>(r), Rounds<kGroups>(other)), ...);
}

__attribute__((target("sha,sse4.1,ssse3"))) void AddOne(Sha256Lane& lane, size_t count) {
  Running r;
  Open(r, *lane.state);
  for (; count > 0; --count, --lane.count, lane.blocks += kSha256Block) {
    BeginBlock(r, lane.blocks);
    RoundsOfOne(r, std::make_index_sequence<16>());
    EndBlock(r);
  }
  Close(r, *lane.state);
}

__attribute__((target("sha,sse4.1,ssse3"))) void AddTwo(Sha256Lane& one, Sha256Lane& two,
                                                        size_t count) {
  Running r, other;
  Open(r, *one.state);
  Open(other, *two.state);
  one.count -= count;
  two.count -= count;
  for (; count > 0; --count, one.blocks += kSha256Block, two.blocks += kSha256Block) {
    BeginBlock(r, one.blocks);
    BeginBlock(other, two.blocks);
    RoundsOfTwo(r, other, std::make_index_sequence<16>());
    EndBlock(r);
    EndBlock(other);
  }
  Close(r, *one.state);
  Close(other, *two.state);
}

#undef MUSTER_SHA_TARGET

}  // namespace

bool HasSha256() {
  static const bool has = __builtin_cpu_supports("sha") && __builtin_cpu_supports("sse4.1");
  return has;
}

void AddSha256Blocks(std::span<Sha256Lane> lanes) {
  for (size_t i = 0; i + 1 < lanes.size(); i += 2) {
    AddTwo(lanes[i], lanes[i + 1], std::min(lanes[i].count, lanes[i + 1].count));
  }
  for (Sha256Lane& lane : lanes) AddOne(lane, lane.count);
}

#else

bool HasSha256() { return false; }
void AddSha256Blocks(std::span<Sha256Lane> lanes) {
  if (!lanes.empty()) std::abort();
}

#endif

std::string FinishSha256(Sha256State& state, std::string rest, uint64_t length) {
  rest += '\x80';
  while (rest.size() % kSha256Block != kSha256Block - sizeof(uint64_t)) rest += '\0';
  for (int i = 7; i >= 0; --i) rest += static_cast<char>(length * 8 >> 8 * i);
  Sha256Lane last{&state, rest.data(), rest.size() / kSha256Block};
  AddSha256Blocks({&last, 1});
  std::string raw;
  for (const uint32_t word : state.words) {
    for (int i = 3; i >= 0; --i) raw += static_cast<char>(word >> 8 * i);
  }
  return raw;
}

}  // namespace muster::s3
