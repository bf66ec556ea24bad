#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace muster::s3 {

constexpr size_t kSha256Block = 64;

struct Sha256State {
  std::array<uint32_t, 8> words = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
};

// Whole blocks that one text goes on with.
struct Sha256Lane {
  Sha256State* state = nullptr;
  const char* blocks = nullptr;
  size_t count = 0;
};

// Hashes all of them, of different texts: two in the time of one where the processor has
// instructions for SHA-256, else up to sixteen abreast in its vectors.
void AddSha256Blocks(std::span<Sha256Lane> lanes);

// The hash, raw, of a text whose whole blocks are in `state`; `rest` is what is behind them.
std::string FinishSha256(Sha256State& state, std::string rest, uint64_t length);

}  // namespace muster::s3
