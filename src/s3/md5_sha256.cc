#include "s3/md5_sha256.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "s3/md5_steps.h"
#include "s3/sha256_rounds.h"

namespace muster::s3 {
namespace {

#ifdef __x86_64__

#define MUSTER_VECTOR_TARGET "sha,sse4.1,ssse3,bmi,avx512f,avx512vl"

// The texts whose SHA-256 is taken on the way. Empty places follow the first.
template <size_t kTexts>
struct Beside {
  Sha256Run runs[kTexts];
  const char* at[kTexts];

  MUSTER_SHA_TARGET explicit Beside(std::span<Sha256Lane* const> lanes) {
    for (size_t i = 0; i < kTexts; ++i) {
      const Sha256Lane& lane = *lanes[i < lanes.size() ? i : 0];
      Open(runs[i], *lane.state);
      at[i] = lane.blocks;
    }
  }
  MUSTER_SHA_TARGET void Store(std::span<Sha256Lane* const> lanes, size_t count) const {
    for (size_t i = 0; i < lanes.size(); ++i) {
      Close(runs[i], *lanes[i]->state);
      lanes[i]->blocks = at[i];
      lanes[i]->count -= count;
    }
  }
  MUSTER_SHA_TARGET void Begin(size_t text) { BeginBlock(runs[text], at[text]); }
  MUSTER_SHA_TARGET void End(size_t text) {
    EndBlock(runs[text]);
    at[text] += kBlockBytes;
  }
  // What stands behind it is done behind it: a compiler would put like to like again, and the
  // processor would not see far enough to find what could be done in a wait.
  template <size_t kGroup>
  MUSTER_SHA_TARGET void Rounds(size_t text) {
    Sha256Rounds<kGroup>(runs[text]);
    asm volatile("" : "+x"(runs[text].s0));
  }
};

template <size_t I>
[[gnu::always_inline]] inline void StepInOrder(uint32_t (&s)[4], const Word* block) {
  Md5Step<I>(s, block);
  asm volatile("" : "+r"(MadeByMd5Step<I>(s)));
}
template <size_t I, typename Vector>
__attribute__((target(MUSTER_VECTOR_TARGET), always_inline)) inline void StepInOrder(
    Vector (&s)[4], const Vector* block, const uint32_t* sines) {
  Md5Step<I>(s, block, sines);
  asm volatile("" : "+v"(MadeByMd5Step<I>(s)));
}

// A few of each, in plain registers and the few of SHA-256: a step of every text, and behind it
// rounds of one of them.
template <size_t I, size_t kTexts>
MUSTER_SHA_TARGET inline void StepOfFew(uint32_t (&s)[kTexts][4],
                                        const Word* const (&blocks)[kTexts],
                                        Beside<kTexts>& beside) {
  for (size_t text = 0; text < kTexts; ++text) StepInOrder<I>(s[text], blocks[text]);
  if constexpr (I % 4 < kTexts) beside.template Rounds<I / 4>(I % 4);
}

template <size_t kTexts, size_t... I>
MUSTER_SHA_TARGET inline void BlockOfFew(uint32_t (&state)[kTexts][4],
                                         const Word* const (&blocks)[kTexts],
                                         Beside<kTexts>& beside,
                                         std::index_sequence<I...> /*steps*/) {
  uint32_t s[kTexts][4];
  for (size_t text = 0; text < kTexts; ++text) std::ranges::copy(state[text], s[text]);
  for (size_t text = 0; text < kTexts; ++text) beside.Begin(text);
  (StepOfFew<I>(s, blocks, beside), ...);
  for (size_t text = 0; text < kTexts; ++text) beside.End(text);
  for (size_t text = 0; text < kTexts; ++text) {
    for (size_t i = 0; i < 4; ++i) state[text][i] += s[text][i];
  }
}

template <size_t kTexts>
__attribute__((target("sha,sse4.1,ssse3,bmi"))) void AddFew(std::span<Md5Lane* const> md5,
                                                            std::span<Sha256Lane* const> sha256,
                                                            size_t count) {
  static_assert(kTexts <= 4);  // whose rounds find a place behind the four steps of a group
  uint32_t state[kTexts][4];
  const Word* at[kTexts];
  for (size_t i = 0; i < kTexts; ++i) {
    const Md5Lane& lane = *md5[i < md5.size() ? i : 0];
    std::ranges::copy(lane.state->words, state[i]);
    at[i] = reinterpret_cast<const Word*>(lane.blocks);
  }
  Beside<kTexts> beside(sha256);
  for (size_t block = 0; block < count; ++block) {
    BlockOfFew(state, at, beside, Md5Steps());
    for (const Word*& text : at) text += kBlockWords;
  }
  beside.Store(sha256, count);
  for (size_t i = 0; i < md5.size(); ++i) {
    std::ranges::copy(state[i], md5[i]->state->words.begin());
    md5[i]->blocks += count * kMd5Block;
    md5[i]->count -= count;
  }
}

// As many as a vector has words, and four: one pair in the first half of the steps, one in the
// other.
template <size_t kGroup, typename Vector>
__attribute__((target(MUSTER_VECTOR_TARGET), always_inline)) inline void TwoSteps(
    Vector (&s)[4], const Vector* block, const uint32_t* sines, Beside<4>& beside) {
  constexpr size_t kPair = kGroup / 16 * 2;
  StepInOrder<kGroup * 2>(s, block, sines);
  beside.Rounds<kGroup % 16>(kPair);
  StepInOrder<kGroup * 2 + 1>(s, block, sines);
  beside.Rounds<kGroup % 16>(kPair + 1);
}

template <typename Vector, size_t... kGroups>
__attribute__((target(MUSTER_VECTOR_TARGET), always_inline)) inline void BlockOfMany(
    Vector (&state)[4], const Vector* block, Beside<4>& beside,
    std::index_sequence<kGroups...> /*half*/) {
  const uint32_t* const sines = UnknownSines();
  Vector s[4] = {state[0], state[1], state[2], state[3]};
  beside.Begin(0);
  beside.Begin(1);
  (TwoSteps<kGroups>(s, block, sines, beside), ...);
  beside.End(0);
  beside.End(1);
  beside.Begin(2);
  beside.Begin(3);
  (TwoSteps<kGroups + 16>(s, block, sines, beside), ...);
  beside.End(2);
  beside.End(3);
  for (size_t i = 0; i < 4; ++i) state[i] += s[i];
}

template <typename Vector>
__attribute__((target(MUSTER_VECTOR_TARGET))) void AddMany(std::span<Md5Lane* const> md5,
                                                           std::span<Sha256Lane* const> sha256,
                                                           size_t count) {
  Beside<4> beside(sha256);
  Abreast<Vector, 4> texts(md5);
  for (size_t block = 0; block < count; ++block) {
    alignas(64) uint32_t words[kBlockWords][texts.kLanes];
    texts.template Take<ByteOrder::kLittle>(words);
    BlockOfMany(texts.state, reinterpret_cast<const Vector*>(words), beside,
                std::make_index_sequence<16>());
  }
  texts.Store(md5, count);
  beside.Store(sha256, count);
}

std::vector<Md5Sha256Way> FindWays() {
  std::vector<Md5Sha256Way> ways;
  if (!__builtin_cpu_supports("sha") || !__builtin_cpu_supports("bmi")) return ways;
  ways.push_back({"two", 2, 2, AddFew<2>});
  ways.push_back({"three", 3, 3, AddFew<3>});
  if (!__builtin_cpu_supports("avx512vl")) return ways;
  ways.push_back({"vectors of 4", 4, 4, AddMany<Vector4>});
  ways.push_back({"vectors of 8", 8, 4, AddMany<Vector8>});
  ways.push_back({"vectors of 16", 16, 4, AddMany<Vector16>});
  return ways;
}

#else

std::vector<Md5Sha256Way> FindWays() { return {}; }

#endif

template <typename Lane>
std::vector<Lane*> Pointers(std::span<Lane> lanes) {
  std::vector<Lane*> left;
  for (Lane& lane : lanes) {
    if (lane.count > 0) left.push_back(&lane);
  }
  return left;
}

// As far as there are some of both; what is left of either, by itself. `way`: null for none.
void Add(const Md5Sha256Way* way, std::span<Md5Lane> md5, std::span<Sha256Lane> sha256) {
  auto left_md5 = Pointers(md5);
  auto left_sha256 = Pointers(sha256);
  while (way != nullptr && !left_md5.empty() && !left_sha256.empty()) {
    const auto one = std::span<Md5Lane* const>(left_md5).first(std::min(left_md5.size(), way->md5));
    const auto other =
        std::span<Sha256Lane* const>(left_sha256).first(std::min(left_sha256.size(), way->sha256));
    size_t count = one.front()->count;
    for (const Md5Lane* const lane : one) count = std::min(count, lane->count);
    for (const Sha256Lane* const lane : other) count = std::min(count, lane->count);
    way->add(one, other, count);
    std::erase_if(left_md5, [](const Md5Lane* lane) { return lane->count == 0; });
    std::erase_if(left_sha256, [](const Sha256Lane* lane) { return lane->count == 0; });
  }
  AddSha256Blocks(sha256);
  AddMd5Blocks(md5);
}

// How long both take of so many texts.
std::chrono::nanoseconds TimeOf(const Md5Sha256Way* way, size_t texts) {
  constexpr size_t kBlocks = 64;
  static constexpr char kText[kBlocks * kBlockBytes] = {};
  std::vector<Md5State> md5_states(texts);
  std::vector<Sha256State> sha256_states(texts);
  std::vector<Md5Lane> md5;
  std::vector<Sha256Lane> sha256;
  for (Md5State& state : md5_states) md5.push_back({&state, kText, kBlocks});
  for (Sha256State& state : sha256_states) sha256.push_back({&state, kText, kBlocks});
  const auto began = std::chrono::steady_clock::now();
  Add(way, md5, sha256);
  return std::chrono::steady_clock::now() - began;
}

// Null: apart from each other. Processors differ, so it is tried out, in less than a millisecond:
// in turns, and by the quickest of each, for others use the processor too.
const Md5Sha256Way* Quickest(size_t texts) {
  std::vector<const Md5Sha256Way*> ways = {nullptr};
  for (const Md5Sha256Way& way : Md5Sha256Ways()) {
    if (way.md5 <= std::max<size_t>(texts, 4)) ways.push_back(&way);
  }
  std::vector<std::chrono::nanoseconds> best(ways.size(), std::chrono::nanoseconds::max());
  for (int turn = 0; turn < 8; ++turn) {
    for (size_t i = 0; i < ways.size(); ++i) best[i] = std::min(best[i], TimeOf(ways[i], texts));
  }
  return ways[static_cast<size_t>(std::ranges::min_element(best) - best.begin())];
}

const Md5Sha256Way* WayOf(size_t texts) {
  static const Md5Sha256Way* const two = Quickest(2);
  if (texts <= 2) return two;
  static const Md5Sha256Way* const three = Quickest(3);
  if (texts == 3) return three;
  static const Md5Sha256Way* const four = Quickest(4);
  if (texts <= 4) return four;
  static const Md5Sha256Way* const eight = Quickest(8);
  if (texts <= 8) return eight;
  static const Md5Sha256Way* const sixteen = Quickest(16);
  return sixteen;
}

}  // namespace

std::span<const Md5Sha256Way> Md5Sha256Ways() {
  static const std::vector<Md5Sha256Way> ways = FindWays();
  return ways;
}

void AddMd5AndSha256Blocks(std::span<Md5Lane> md5, std::span<Sha256Lane> sha256) {
  const bool both = !md5.empty() && !sha256.empty();
  Add(both ? WayOf(md5.size()) : nullptr, md5, sha256);
}

}  // namespace muster::s3
