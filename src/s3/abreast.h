#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace muster::s3 {

// What hashing several texts at a time has in common, whichever the hash: blocks of sixteen words
// of 32 bits, a state of a few. A `Lane` is one text's: state->words, blocks, count.
constexpr size_t kBlockWords = 16;
constexpr size_t kBlockBytes = kBlockWords * sizeof(uint32_t);

// Hashes all of them, up to `width` at a time by `add(lanes, count)`, each time as many blocks as
// the shortest has.
template <typename Lane, typename Add>
void AddAll(std::span<Lane> lanes, size_t width, const Add& add) {
  std::vector<Lane*> left;
  for (Lane& lane : lanes) {
    if (lane.count > 0) left.push_back(&lane);
  }
  while (!left.empty()) {
    const std::span<Lane* const> abreast = std::span(left).first(std::min(left.size(), width));
    size_t count = abreast.front()->count;
    for (const Lane* const lane : abreast) count = std::min(count, lane->count);
    add(abreast, count);
    std::erase_if(left, [](const Lane* lane) { return lane->count == 0; });
  }
}

#ifdef __x86_64__

// A word of each text. Code over these is inlined into functions that say for which processors it
// becomes instructions.
using Vector4 = uint32_t __attribute__((vector_size(16)));
using Vector8 = uint32_t __attribute__((vector_size(32)));
using Vector16 = uint32_t __attribute__((vector_size(64)));

enum class ByteOrder { kLittle, kBig };

// From texts side by side to words side by side, in squares of four.
template <ByteOrder kOrder, size_t kLanes>
[[gnu::always_inline]] inline void Transpose(const char* const (&at)[kLanes],
                                             uint32_t (&words)[kBlockWords][kLanes]) {
  const auto store = [](uint32_t* to, __m128i four) {
    _mm_store_si128(reinterpret_cast<__m128i*>(to), four);
  };
  for (size_t lane = 0; lane < kLanes; lane += 4) {
    for (size_t word = 0; word < kBlockWords; word += 4) {
      __m128i in[4];
      for (size_t i = 0; i < 4; ++i) {
        in[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at[lane + i] + 4 * word));
        if constexpr (kOrder == ByteOrder::kBig) {
          const auto bytes = reinterpret_cast<__v16qi>(in[i]);
          in[i] = reinterpret_cast<__m128i>(__builtin_shufflevector(
              bytes, bytes, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
        }
      }
      const __m128i ab = _mm_unpacklo_epi32(in[0], in[1]), cd = _mm_unpacklo_epi32(in[2], in[3]),
                    ab2 = _mm_unpackhi_epi32(in[0], in[1]), cd2 = _mm_unpackhi_epi32(in[2], in[3]);
      store(&words[word][lane], _mm_unpacklo_epi64(ab, cd));
      store(&words[word + 1][lane], _mm_unpackhi_epi64(ab, cd));
      store(&words[word + 2][lane], _mm_unpacklo_epi64(ab2, cd2));
      store(&words[word + 3][lane], _mm_unpackhi_epi64(ab2, cd2));
    }
  }
}

// At most as many texts as the vector has words.
template <typename Vector, size_t kState>
class Abreast {
 public:
  static constexpr size_t kLanes = sizeof(Vector) / sizeof(uint32_t);

  template <typename Lane>
  [[gnu::always_inline]] explicit Abreast(std::span<Lane* const> lanes) {
    for (size_t i = 0; i < kLanes; ++i) {
      const Lane& lane = *lanes[i < lanes.size() ? i : 0];  // empty places follow the first
      at_[i] = lane.blocks;
      for (size_t word = 0; word < kState; ++word) state[word][i] = lane.state->words[word];
    }
  }

  // The next block of each.
  template <ByteOrder kOrder>
  [[gnu::always_inline]] void Take(uint32_t (&words)[kBlockWords][kLanes]) {
    Transpose<kOrder>(at_, words);
    for (const char*& text : at_) text += kBlockBytes;
  }

  template <typename Lane>
  [[gnu::always_inline]] void Store(std::span<Lane* const> lanes, size_t count) const {
    for (size_t i = 0; i < lanes.size(); ++i) {
      for (size_t word = 0; word < kState; ++word) lanes[i]->state->words[word] = state[word][i];
      lanes[i]->blocks = at_[i];
      lanes[i]->count -= count;
    }
  }

  Vector state[kState];

 private:
  const char* at_[kLanes];
};

// `compress(state, words)` takes a block of all.
template <typename Vector, size_t kState, ByteOrder kOrder, typename Lane, typename Compress>
[[gnu::always_inline]] inline void AddAbreast(std::span<Lane* const> lanes, size_t count,
                                              const Compress& compress) {
  Abreast<Vector, kState> texts(lanes);
  for (size_t block = 0; block < count; ++block) {
    alignas(64) uint32_t words[kBlockWords][texts.kLanes];
    texts.template Take<kOrder>(words);
    compress(texts.state, reinterpret_cast<Vector*>(words));
  }
  texts.Store(lanes, count);
}

#endif

}  // namespace muster::s3
