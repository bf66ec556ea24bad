#include "s3/sha256_chunks.h"

#include <algorithm>

namespace muster::s3 {

void Sha256Chunks::Skip(int64_t length) {
  if (chunks_.size() > ended_ && !chunks_.back().wanted) {
    chunks_.back().length += length;
  } else {
    chunks_.push_back({.length = length, .wanted = false});
  }
}

void Sha256Chunks::Add(std::string_view bytes, std::vector<Sha256Lane>& lanes) {
  while (!bytes.empty() && ended_ < chunks_.size()) {
    Chunk& chunk = chunks_[ended_];
    auto some = bytes.substr(
        0, static_cast<size_t>(std::min<int64_t>(chunk.length - chunk.seen, std::ssize(bytes))));
    bytes.remove_prefix(some.size());
    chunk.seen += std::ssize(some);
    if (chunk.seen == chunk.length) ++ended_;
    if (!chunk.wanted) continue;
    // Only the first has a beginning: its block is finished by itself.
    if (!chunk.rest.empty()) {
      const auto missing = some.substr(0, kSha256Block - chunk.rest.size());
      chunk.rest += missing;
      some.remove_prefix(missing.size());
      if (chunk.rest.size() == kSha256Block) {
        Sha256Lane block{&chunk.state, chunk.rest.data(), 1};
        AddSha256Blocks({&block, 1});
        chunk.rest.clear();
      }
    }
    const size_t blocks = some.size() / kSha256Block;
    if (blocks > 0) lanes.push_back({&chunk.state, some.data(), blocks});
    chunk.rest += some.substr(blocks * kSha256Block);
  }
}

void Sha256Chunks::End() {
  if (ended_ == chunks_.size()) return;
  chunks_[ended_].length = chunks_[ended_].seen;
  ++ended_;
}

std::vector<std::string> Sha256Chunks::TakeEnded() {
  std::vector<std::string> hashes;
  for (; ended_ > 0; --ended_, chunks_.pop_front()) {
    Chunk& chunk = chunks_.front();
    if (!chunk.wanted) continue;
    hashes.push_back(
        FinishSha256(chunk.state, std::move(chunk.rest), static_cast<uint64_t>(chunk.length)));
  }
  return hashes;
}

}  // namespace muster::s3
