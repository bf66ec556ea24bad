// The instructions that some processors have for SHA-256. Each waits for the one before it, so that
// two texts take the time of one.
#include "s3/sha256_rounds.h"

#ifdef __x86_64__

#include <utility>

namespace muster::s3 {
namespace {

template <size_t... kGroups>
MUSTER_SHA_TARGET inline void RoundsOfOne(Sha256Run& r, std::index_sequence<kGroups...> /*all*/) {
  (Sha256Rounds<kGroups>(r), ...);
}

template <size_t... kGroups>
MUSTER_SHA_TARGET inline void RoundsOfTwo(Sha256Run& r, Sha256Run& other,
                                          std::index_sequence<kGroups...> /*all*/) {
  ((Sha256Rounds<kGroups>(r), Sha256Rounds<kGroups>(other)), ...);
}

__attribute__((target("sha,sse4.1,ssse3"))) void AddOne(Sha256Lane& lane, size_t count) {
  Sha256Run r;
  Open(r, *lane.state);
  for (; count > 0; --count, --lane.count, lane.blocks += kSha256Block) {
    BeginBlock(r, lane.blocks);
    RoundsOfOne(r, std::make_index_sequence<16>());
    EndBlock(r);
  }
  Close(r, *lane.state);
}

__attribute__((target("sha,sse4.1,ssse3"))) void AddTwo(Sha256Lane& one, Sha256Lane& two,
                                                        size_t count) {
  Sha256Run r, other;
  Open(r, *one.state);
  Open(other, *two.state);
  one.count -= count;
  two.count -= count;
  for (; count > 0; --count, one.blocks += kSha256Block, two.blocks += kSha256Block) {
    BeginBlock(r, one.blocks);
    BeginBlock(other, two.blocks);
    RoundsOfTwo(r, other, std::make_index_sequence<16>());
    EndBlock(r);
    EndBlock(other);
  }
  Close(r, *one.state);
  Close(other, *two.state);
}

}  // namespace

void AddSha256ByInstructions(std::span<Sha256Lane* const> lanes, size_t count) {
  if (lanes.size() == 2) return AddTwo(*lanes[0], *lanes[1], count);
  AddOne(*lanes[0], count);
}

}  // namespace muster::s3

#endif
