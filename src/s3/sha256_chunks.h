#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "s3/sha256_blocks.h"

namespace muster::objects {

// The SHA-256s of the chunks that a text consists of, taken when a large piece of it is there:
// chunks that are there at a time are hashed together, in less time.
class ChunkHashes {
 public:
  // The next chunk has this length.
  void Expect(int64_t length) { chunks_.push_back({.length = length}); }
  // So many bytes are of chunks that nobody wants the hash of.
  void Skip(int64_t length);

  // The next bytes of the text; `ended` is told the hash, raw, of each chunk that ends with them,
  // in their order.
  void Add(std::string_view bytes, const std::function<void(const std::string&)>& ended);

 private:
  struct Chunk {
    int64_t length = 0, seen = 0;
    bool wanted = true;
    s3::Sha256State state;
    std::string rest;  // less than a block
  };

  std::deque<Chunk> chunks_;  // those that have not ended
};

}  // namespace muster::objects
