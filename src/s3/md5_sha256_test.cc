#include "s3/md5_sha256.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "s3/digest.h"

namespace muster::s3 {
namespace {

std::string Text(size_t blocks, size_t seed) {
  std::string text(blocks * kMd5Block, 0);
  for (size_t at = 0; at < text.size(); ++at) text[at] = static_cast<char>(at * at / 5 + 37 * seed);
  return text;
}

// Of some texts the MD5, of some the SHA-256; those of text i have `blocks(i)` blocks.
class Texts {
 public:
  template <typename Blocks>
  Texts(size_t md5, size_t sha256, const Blocks& blocks) : md5_states(md5), sha256_states(sha256) {
    for (size_t i = 0; i < md5 + sha256; ++i) texts.push_back(Text(blocks(i), i));
    for (size_t i = 0; i < md5; ++i) {
      md5_lanes.push_back({&md5_states[i], texts[i].data(), texts[i].size() / kMd5Block});
    }
    for (size_t i = 0; i < sha256; ++i) {
      const std::string& text = texts[md5 + i];
      sha256_lanes.push_back({&sha256_states[i], text.data(), text.size() / kSha256Block});
    }
  }

  void ExpectRight(const std::string& what) {
    for (size_t i = 0; i < md5_lanes.size(); ++i) {
      Md5State alone;
      Md5Lane lane{&alone, texts[i].data(), texts[i].size() / kMd5Block};
      AddMd5Blocks({&lane, 1});
      EXPECT_EQ(md5_states[i].words, alone.words) << what << ", MD5 of text " << i;
      EXPECT_EQ(md5_lanes[i].count, 0u);
      EXPECT_EQ(md5_lanes[i].blocks, texts[i].data() + texts[i].size());
    }
    for (size_t i = 0; i < sha256_lanes.size(); ++i) {
      const std::string& text = texts[md5_lanes.size() + i];
      EXPECT_EQ(Hex(FinishSha256(sha256_states[i], "", text.size())),
                Hex(DigestOf(DigestKind::kSha256, text)))
          << what << ", SHA-256 of text " << i;
      EXPECT_EQ(sha256_lanes[i].count, 0u);
      EXPECT_EQ(sha256_lanes[i].blocks, text.data() + text.size());
    }
  }

  std::vector<std::string> texts;
  std::vector<Md5State> md5_states;
  std::vector<Sha256State> sha256_states;
  std::vector<Md5Lane> md5_lanes;
  std::vector<Sha256Lane> sha256_lanes;
};

template <typename Lane>
std::vector<Lane*> Pointers(std::vector<Lane>& lanes) {
  std::vector<Lane*> pointers;
  for (Lane& lane : lanes) pointers.push_back(&lane);
  return pointers;
}

TEST(Md5Sha256, EveryWayOfThisProcessorIsRight) {
  constexpr size_t kBlocks = 5;
  for (const Md5Sha256Way& way : Md5Sha256Ways()) {
    for (size_t md5 = 1; md5 <= way.md5; ++md5) {
      for (size_t sha256 = 1; sha256 <= way.sha256; ++sha256) {
        Texts texts(md5, sha256, [](size_t) { return kBlocks; });
        const auto one = Pointers(texts.md5_lanes);
        const auto other = Pointers(texts.sha256_lanes);
        way.add(one, other, 2);  // and from there on
        way.add(one, other, kBlocks - 2);
        texts.ExpectRight(way.name);
      }
    }
  }
}

TEST(Md5Sha256, LanesOfDifferentLengthsAndNumbersEndEachAtItsOwn) {
  for (size_t md5 = 0; md5 <= 20; ++md5) {
    for (const size_t sha256 : {0ul, 1ul, 2ul, 3ul, 8ul, 19ul}) {
      Texts texts(md5, sha256, [](size_t i) { return i * 5 % 17; });
      AddMd5AndSha256Blocks(texts.md5_lanes, texts.sha256_lanes);
      texts.ExpectRight(std::to_string(md5) + " and " + std::to_string(sha256));
    }
  }
}

}  // namespace
}  // namespace muster::s3
