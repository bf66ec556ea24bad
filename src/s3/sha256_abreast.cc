// SHA-256 of several texts in vectors, a word of each: for processors without instructions for it.
#include "s3/sha256_ways.h"

#ifdef __x86_64__

#include <utility>

#include "s3/abreast.h"

namespace muster::s3 {
namespace {

// A macro, for a function that takes or gives vectors would be called by rules of one processor.
#define MUSTER_TURN(word, by) (((word) >> (by)) | ((word) << (32 - (by))))

// One of the 64 rounds, and from the seventeenth on the word of the schedule that it takes.
template <size_t I, typename Vector>
[[gnu::always_inline]] inline void Round(Vector (&s)[8], Vector* w) {
  Vector &a = s[(64 - I) % 8], &b = s[(65 - I) % 8], &c = s[(66 - I) % 8], &d = s[(67 - I) % 8],
         &e = s[(68 - I) % 8], &f = s[(69 - I) % 8], &g = s[(70 - I) % 8], &h = s[(71 - I) % 8];
  if constexpr (I >= kBlockWords) {
    const Vector early = w[(I + 1) % kBlockWords], late = w[(I + 14) % kBlockWords];
    w[I % kBlockWords] += w[(I + 9) % kBlockWords] +
                          (MUSTER_TURN(early, 7) ^ MUSTER_TURN(early, 18) ^ (early >> 3)) +
                          (MUSTER_TURN(late, 17) ^ MUSTER_TURN(late, 19) ^ (late >> 10));
  }
  const Vector sum = h + w[I % kBlockWords] + kSha256Roots[I] + ((e & f) ^ (~e & g)) +
                     (MUSTER_TURN(e, 6) ^ MUSTER_TURN(e, 11) ^ MUSTER_TURN(e, 25));
  d += sum;
  h = sum + (MUSTER_TURN(a, 2) ^ MUSTER_TURN(a, 13) ^ MUSTER_TURN(a, 22)) +
      ((a & b) | (c & (a | b)));
}

#undef MUSTER_TURN

template <typename Vector, size_t... I>
[[gnu::always_inline]] inline void Compress(Vector (&state)[8], Vector* words,
                                            std::index_sequence<I...> /*rounds*/) {
  Vector s[8], w[kBlockWords];
  for (size_t i = 0; i < 8; ++i) s[i] = state[i];
  for (size_t i = 0; i < kBlockWords; ++i) w[i] = words[i];
  (Round<I>(s, w), ...);
  for (size_t i = 0; i < 8; ++i) state[i] += s[i];
}

template <typename Vector>
[[gnu::always_inline]] inline void Add(std::span<Sha256Lane* const> lanes, size_t count) {
  AddAbreast<Vector, 8, ByteOrder::kBig>(
      lanes, count, [](Vector(&state)[8], Vector* words) __attribute__((always_inline)) {
        Compress(state, words, std::make_index_sequence<64>());
      });
}

}  // namespace

__attribute__((target("avx512f,avx512vl"))) void AddSha256In4(std::span<Sha256Lane* const> lanes,
                                                              size_t count) {
  Add<Vector4>(lanes, count);
}
__attribute__((target("avx512f,avx512vl"))) void AddSha256In8(std::span<Sha256Lane* const> lanes,
                                                              size_t count) {
  Add<Vector8>(lanes, count);
}
__attribute__((target("avx512f,avx512vl"))) void AddSha256In16(std::span<Sha256Lane* const> lanes,
                                                               size_t count) {
  Add<Vector16>(lanes, count);
}
__attribute__((target("avx2"))) void AddSha256In4Plain(std::span<Sha256Lane* const> lanes,
                                                       size_t count) {
  Add<Vector4>(lanes, count);
}
__attribute__((target("avx2"))) void AddSha256In8Plain(std::span<Sha256Lane* const> lanes,
                                                       size_t count) {
  Add<Vector8>(lanes, count);
}

}  // namespace muster::s3

#endif
