#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace muster::s3 {

constexpr size_t kMd5Block = 64;

struct Md5State {
  std::array<uint32_t, 4> words = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
};

// Whole blocks that one text goes on with.
struct Md5Lane {
  Md5State* state = nullptr;
  const char* blocks = nullptr;
  size_t count = 0;
};

// How many texts this processor hashes in the time of one: each step of MD5 waits for the one
// before, so that the wide registers stay empty unless other texts fill them.
size_t Md5Width();

// Hashes all of them, of different texts, each lane's blocks in their order.
void AddMd5Blocks(std::span<Md5Lane> lanes);

}  // namespace muster::s3
