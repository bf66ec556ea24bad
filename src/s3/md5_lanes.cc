#include "s3/md5_lanes.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

#include "s3/abreast.h"

namespace muster::s3 {
namespace {

// The whole parts of 2^32 |sin(i + 1)|.
constexpr uint32_t kSines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
constexpr int kTurns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
constexpr size_t kFirstWord[4] = {0, 1, 5, 0}, kWordStep[4] = {1, 5, 3, 7};

// A step waits for `b`, which the step before has just made; what can be done before that, is. A
// compiler would add in an order of its own, known constants last: words are kept from it by First,
// vectors by constants that it does not know.
[[gnu::always_inline]] inline uint32_t First(uint32_t word) {
  asm("" : "+r"(word));
  return word;
}
[[gnu::always_inline]] inline const uint32_t* UnknownSines() {
  const uint32_t* sines = kSines;
  asm("" : "+r"(sines));
  return sines;
}

constexpr size_t WordOf(size_t step) {
  return (kFirstWord[step / 16] + step % 16 * kWordStep[step / 16]) % kBlockWords;
}

// The words of one text, wherever they lie.
using Word = uint32_t __attribute__((may_alias, aligned(1)));

// One of the 64 steps. What is inlined here becomes instructions of the function it ends up in.
template <size_t I>
[[gnu::always_inline]] inline void Step(uint32_t (&s)[4], const Word* block) {
  constexpr size_t kRound = I / 16;
  uint32_t &a = s[(64 - I) % 4], &b = s[(65 - I) % 4], &c = s[(66 - I) % 4], &d = s[(67 - I) % 4];
  uint32_t sum = First(a + block[WordOf(I)] + kSines[I]);
  if constexpr (kRound == 0) sum += d ^ (b & First(c ^ d));
  if constexpr (kRound == 1) sum = First(sum + (~d & c)) + (d & b);
  if constexpr (kRound == 2) sum += b ^ First(c ^ d);
  if constexpr (kRound == 3) sum += c ^ (b | First(~d));
  a = b + std::rotl(sum, kTurns[kRound][I % 4]);
}

// The same for a vector with a word of each text; three are mixed by one instruction.
template <size_t I, typename Vector>
[[gnu::always_inline]] inline void Step(Vector (&s)[4], const Vector* block,
                                        const uint32_t* sines) {
  constexpr size_t kRound = I / 16;
  Vector &a = s[(64 - I) % 4], &b = s[(65 - I) % 4], &c = s[(66 - I) % 4], &d = s[(67 - I) % 4];
  Vector sum = a + block[WordOf(I)] + sines[I];
  if constexpr (kRound == 0) sum += d ^ (b & (c ^ d));
  if constexpr (kRound == 1) sum += (d & b) | (~d & c);
  if constexpr (kRound == 2) sum += b ^ (c ^ d);
  if constexpr (kRound == 3) sum += c ^ (b | ~d);
  constexpr int kTurn = kTurns[kRound][I % 4];
  a = b + ((sum << kTurn) | (sum >> (32 - kTurn)));
}

using Steps = std::make_index_sequence<64>;

// One text, or several whose steps fill each other's waits.
template <size_t kTexts, size_t... I>
[[gnu::always_inline]] inline void Compress(Md5State (&states)[kTexts],
                                            const Word* const (&blocks)[kTexts],
                                            std::index_sequence<I...> /*steps*/) {
  uint32_t s[kTexts][4];
  for (size_t text = 0; text < kTexts; ++text) {
    std::ranges::copy(states[text].words, s[text]);
  }
  const auto step = [&]<size_t kStep>() __attribute__((always_inline)) {
    for (size_t text = 0; text < kTexts; ++text) Step<kStep>(s[text], blocks[text]);
  };
  (step.template operator()<I>(), ...);
  for (size_t text = 0; text < kTexts; ++text) {
    for (size_t i = 0; i < 4; ++i) states[text].words[i] += s[text][i];
  }
}

template <size_t kTexts>
[[gnu::always_inline]] inline void AddWords(std::span<Md5Lane* const> lanes, size_t count) {
  Md5State states[kTexts];
  const Word* blocks[kTexts];
  for (size_t i = 0; i < kTexts; ++i) {
    states[i] = *lanes[i]->state;
    blocks[i] = reinterpret_cast<const Word*>(lanes[i]->blocks);
  }
  for (size_t block = 0; block < count; ++block) {
    Compress(states, blocks, Steps());
    for (const Word*& at : blocks) at += kBlockWords;
  }
  for (size_t i = 0; i < kTexts; ++i) {
    *lanes[i]->state = states[i];
    lanes[i]->blocks += count * kMd5Block;
    lanes[i]->count -= count;
  }
}

void AddOne(std::span<Md5Lane* const> lanes, size_t count) { AddWords<1>(lanes, count); }

#ifdef __x86_64__

template <typename Vector, size_t... I>
[[gnu::always_inline]] inline void Compress(Vector (&state)[4], const Vector* block,
                                            std::index_sequence<I...> /*steps*/) {
  Vector s[4] = {state[0], state[1], state[2], state[3]};
  const uint32_t* const sines = UnknownSines();
  (Step<I>(s, block, sines), ...);
  for (size_t i = 0; i < 4; ++i) state[i] += s[i];
}

template <typename Vector>
[[gnu::always_inline]] inline void AddAbreast(std::span<Md5Lane* const> lanes, size_t count) {
  AddAbreast<Vector, 4, ByteOrder::kLittle>(
      lanes, count, [](Vector(&state)[4], const Vector* block) __attribute__((always_inline)) {
        Compress(state, block, Steps());
      });
}

// In plain registers two texts take little longer than one.
__attribute__((target("bmi"))) void AddTwo(std::span<Md5Lane* const> lanes, size_t count) {
  AddWords<2>(lanes, count);
}
// Not wider than needed: fewer lanes are arranged sooner.
__attribute__((target("avx512f,avx512vl"))) void AddFour(std::span<Md5Lane* const> lanes,
                                                         size_t count) {
  AddAbreast<Vector4>(lanes, count);
}
__attribute__((target("avx512f,avx512vl"))) void AddEight(std::span<Md5Lane* const> lanes,
                                                          size_t count) {
  AddAbreast<Vector8>(lanes, count);
}
__attribute__((target("avx512f,avx512vl"))) void AddSixteen(std::span<Md5Lane* const> lanes,
                                                            size_t count) {
  AddAbreast<Vector16>(lanes, count);
}
// Without instructions that turn words.
__attribute__((target("avx2"))) void AddEightPlain(std::span<Md5Lane* const> lanes, size_t count) {
  AddAbreast<Vector8>(lanes, count);
}

using Adder = void (*)(std::span<Md5Lane* const> lanes, size_t count);

// How long it takes at its quickest to hash a few blocks of two texts.
std::chrono::nanoseconds TimeOfTwo(Adder add) {
  constexpr size_t kBlocks = 32;
  static constexpr char kText[kBlocks * kMd5Block] = {};
  auto best = std::chrono::nanoseconds::max();
  for (int i = 0; i < 8; ++i) {
    Md5State states[2];
    Md5Lane lanes[2] = {{&states[0], kText, kBlocks}, {&states[1], kText, kBlocks}};
    Md5Lane* const both[2] = {&lanes[0], &lanes[1]};
    const auto began = std::chrono::steady_clock::now();
    add(both, kBlocks);
    best = std::min<std::chrono::nanoseconds>(best, std::chrono::steady_clock::now() - began);
  }
  return best;
}

// Whether one or two texts are hashed sooner in vectors than in plain registers. Processors differ:
// where words are turned in one cycle it takes 86 ns for a block of each and 103, where that takes
// two 99 and 85. Tried out once, in 50 microseconds.
bool FewInVectors() {
  static const bool sooner =
      __builtin_cpu_supports("avx512vl") && TimeOfTwo(AddFour) < TimeOfTwo(AddTwo);
  return sooner;
}

#endif

// `lanes`: at most as many as are abreast here, `count` no more than any of them has.
void AddTogether(std::span<Md5Lane* const> lanes, size_t count) {
#ifdef __x86_64__
  if (lanes.size() <= 2 && FewInVectors()) return AddFour(lanes, count);
  if (lanes.size() == 2 && Md5Width() > 1) return AddTwo(lanes, count);  // "bmi" is there too
  if (lanes.size() > 2) {
    if (Md5Width() == 8) return AddEightPlain(lanes, count);
    if (lanes.size() <= 4) return AddFour(lanes, count);
    return lanes.size() <= 8 ? AddEight(lanes, count) : AddSixteen(lanes, count);
  }
#endif
  AddOne(lanes, count);
}

}  // namespace

size_t Md5Width() {
#ifdef __x86_64__
  static const size_t width = __builtin_cpu_supports("avx512vl") ? 16
                              : __builtin_cpu_supports("avx2")   ? 8
                                                                 : 1;
  return width;
#else
  return 1;
#endif
}

void AddMd5Blocks(std::span<Md5Lane> lanes) { AddAll(lanes, Md5Width(), AddTogether); }

}  // namespace muster::s3
