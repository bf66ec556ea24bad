#include "objects/chunk_hashes.h"

#include <algorithm>
#include <vector>

namespace muster::objects {

void ChunkHashes::Skip(int64_t length) {
  if (!chunks_.empty() && !chunks_.back().wanted) {
    chunks_.back().length += length;
  } else {
    chunks_.push_back({.length = length, .wanted = false});
  }
}

void ChunkHashes::Add(std::string_view bytes,
                      const std::function<void(const std::string&)>& ended) {
  std::vector<s3::Sha256Lane> lanes;
  size_t at = 0;  // the chunk that the next byte is of
  while (!bytes.empty() && at < chunks_.size()) {
    Chunk& chunk = chunks_[at];
    auto some = bytes.substr(
        0, static_cast<size_t>(std::min<int64_t>(chunk.length - chunk.seen, std::ssize(bytes))));
    bytes.remove_prefix(some.size());
    chunk.seen += std::ssize(some);
    if (chunk.seen == chunk.length) ++at;
    if (!chunk.wanted) continue;
    // Only the first has a beginning: its block is finished by itself.
    if (!chunk.rest.empty()) {
      const auto missing = some.substr(0, s3::kSha256Block - chunk.rest.size());
      chunk.rest += missing;
      some.remove_prefix(missing.size());
      if (chunk.rest.size() == s3::kSha256Block) {
        s3::Sha256Lane block{&chunk.state, chunk.rest.data(), 1};
        s3::AddSha256Blocks({&block, 1});
        chunk.rest.clear();
      }
    }
    const size_t blocks = some.size() / s3::kSha256Block;
    if (blocks > 0) lanes.push_back({&chunk.state, some.data(), blocks});
    chunk.rest += some.substr(blocks * s3::kSha256Block);
  }
  s3::AddSha256Blocks(lanes);
  for (; at > 0; --at, chunks_.pop_front()) {
    Chunk& chunk = chunks_.front();
    if (!chunk.wanted) continue;
    ended(s3::FinishSha256(chunk.state, chunk.rest, static_cast<uint64_t>(chunk.length)));
  }
}

}  // namespace muster::objects
