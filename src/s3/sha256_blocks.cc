#include "s3/sha256_blocks.h"

#include <algorithm>
#include <vector>

#include <openssl/sha.h>

#include "s3/abreast.h"
#include "s3/sha256_ways.h"

namespace muster::s3 {
namespace {

// One text by the library, which has the best there is for each processor. Only these calls of it
// take and give a state.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void AddByLibrary(std::span<Sha256Lane* const> lanes, size_t count) {
  Sha256Lane& lane = *lanes[0];
  SHA256_CTX context = {};
  std::ranges::copy(lane.state->words, context.h);
  context.md_len = SHA256_DIGEST_LENGTH;
  SHA256_Update(&context, lane.blocks, count * kSha256Block);
  std::ranges::copy(context.h, lane.state->words.begin());
  lane.blocks += count * kSha256Block;
  lane.count -= count;
}
#pragma GCC diagnostic pop

std::vector<Sha256Way> FindWays() {
  std::vector<Sha256Way> ways = {{"library", 1, AddByLibrary}};
#ifdef __x86_64__
  if (__builtin_cpu_supports("sha") && __builtin_cpu_supports("sse4.1")) {
    ways.push_back({"instructions", 2, AddSha256ByInstructions});
  }
  if (__builtin_cpu_supports("avx512vl")) {
    ways.push_back({"vectors of 4", 4, AddSha256In4});
    ways.push_back({"vectors of 8", 8, AddSha256In8});
    ways.push_back({"vectors of 16", 16, AddSha256In16});
  }
  if (__builtin_cpu_supports("avx2")) {
    ways.push_back({"plain vectors of 4", 4, AddSha256In4Plain});
    ways.push_back({"plain vectors of 8", 8, AddSha256In8Plain});
  }
#endif
  return ways;
}

struct Choice {
  size_t width = 1;  // texts at a time
  void (*add)(std::span<Sha256Lane* const> lanes, size_t count) = AddByLibrary;
};

#ifdef __x86_64__
// A block of each text takes 221 ns in vectors of 4, 304 of 8, 410 of 16, and 158 of one text by
// the library (an Intel Xeon of 2.5 GHz).
void AddInVectors(std::span<Sha256Lane* const> lanes, size_t count) {
  if (lanes.size() == 1) return AddByLibrary(lanes, count);
  if (lanes.size() <= 4) return AddSha256In4(lanes, count);
  return lanes.size() <= 8 ? AddSha256In8(lanes, count) : AddSha256In16(lanes, count);
}
// Without instructions that turn words: 386 of 4, 408 of 8.
void AddInPlainVectors(std::span<Sha256Lane* const> lanes, size_t count) {
  if (lanes.size() > 4) return AddSha256In8Plain(lanes, count);
  if (lanes.size() > 2) return AddSha256In4Plain(lanes, count);
  for (size_t i = 0; i < lanes.size(); ++i) AddByLibrary(lanes.subspan(i, 1), count);
}
#endif

Choice Choose() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("sha") && __builtin_cpu_supports("sse4.1")) {
    return {2, AddSha256ByInstructions};
  }
  if (__builtin_cpu_supports("avx512vl")) return {16, AddInVectors};
  if (__builtin_cpu_supports("avx2")) return {8, AddInPlainVectors};
#endif
  return {};
}

}  // namespace

std::span<const Sha256Way> Sha256Ways() {
  static const std::vector<Sha256Way> ways = FindWays();
  return ways;
}

void AddSha256Blocks(std::span<Sha256Lane> lanes) {
  static const Choice choice = Choose();
  AddAll(lanes, choice.width, choice.add);
}

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
