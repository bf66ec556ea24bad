#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "s3/sha256_blocks.h"

namespace muster::s3 {

// The SHA-256s of the chunks that a text consists of, taken when a large piece of it is there: what
// is there at a time is hashed together, in less time. A chunk may be the whole text.
class Sha256Chunks {
 public:
  static constexpr int64_t kUnknown = INT64_MAX;

  // The next chunk has this length; kUnknown: it goes on until End.
  void Expect(int64_t length) { chunks_.push_back({.length = length}); }
  // So many bytes are of chunks that nobody wants the hash of.
  void Skip(int64_t length);

  // The next bytes of the text. Their whole blocks become lanes, which must be hashed before the
  // next call; the bytes stay until then.
  void Add(std::string_view bytes, std::vector<Sha256Lane>& lanes);
  void End();  // of the one of unknown length, behind its last byte

  // When all lanes are hashed: the hashes, raw, of the chunks that have ended since, in their
  // order.
  std::vector<std::string> TakeEnded();

 private:
  struct Chunk {
    int64_t length = 0, seen = 0;
    bool wanted = true;
    Sha256State state;
    std::string rest;  // less than a block
  };

  std::deque<Chunk> chunks_;  // lanes know where their states are
  size_t ended_ = 0;          // of the first ones every byte was seen
};

}  // namespace muster::s3
