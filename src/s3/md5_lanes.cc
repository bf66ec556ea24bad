#include "s3/md5_lanes.h"

#include <algorithm>
#include <chrono>

#include "s3/md5_steps.h"

namespace muster::s3 {
namespace {

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
    for (size_t text = 0; text < kTexts; ++text) Md5Step<kStep>(s[text], blocks[text]);
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
    Compress(states, blocks, Md5Steps());
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
  (Md5Step<I>(s, block, sines), ...);
  for (size_t i = 0; i < 4; ++i) state[i] += s[i];
}

template <typename Vector>
[[gnu::always_inline]] inline void AddAbreast(std::span<Md5Lane* const> lanes, size_t count) {
  AddAbreast<Vector, 4, ByteOrder::kLittle>(
      lanes, count, [](Vector(&state)[4], const Vector* block) __attribute__((always_inline)) {
        Compress(state, block, Md5Steps());
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
