#pragma once

#include <cstddef>
#include <span>

#include "s3/md5_lanes.h"
#include "s3/sha256_blocks.h"

namespace muster::s3 {

// Hashes all of both. The texts may be the same or others. Where the processor has instructions for
// SHA-256 it takes hardly longer than MD5 alone: a step of MD5 waits for the one before, and they
// run while it waits.
void AddMd5AndSha256Blocks(std::span<Md5Lane> md5, std::span<Sha256Lane> sha256);

// A way to take blocks of both at a time. For md5_sha256.cc, which chooses, and for tests.
struct Md5Sha256Way {
  const char* name;
  size_t md5, sha256;  // texts at most, each at least one
  void (*add)(std::span<Md5Lane* const> md5, std::span<Sha256Lane* const> sha256, size_t count);
};

// Those that this processor has; perhaps none.
std::span<const Md5Sha256Way> Md5Sha256Ways();

}  // namespace muster::s3
