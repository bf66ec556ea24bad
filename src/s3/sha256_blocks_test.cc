#include "s3/sha256_blocks.h"

#include <vector>

#include <gmock/gmock.h>

#include "s3/digest.h"
#include "s3/sha256_ways.h"

namespace muster::s3 {
namespace {

// Texts of whole blocks, each of its own bytes; text i has `blocks(i)` of them.
template <typename Blocks>
std::vector<std::string> Texts(size_t count, const Blocks& blocks) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < count; ++i) {
    std::string text(blocks(i) * kSha256Block, 0);
    for (size_t at = 0; at < text.size(); ++at) text[at] = static_cast<char>(at * at / 7 + 31 * i);
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<Sha256Lane> Lanes(const std::vector<std::string>& texts,
                              std::vector<Sha256State>& states) {
  std::vector<Sha256Lane> lanes;
  for (size_t i = 0; i < texts.size(); ++i) {
    lanes.push_back({&states[i], texts[i].data(), texts[i].size() / kSha256Block});
  }
  return lanes;
}

std::string Library(const std::string& text) {
  return Hex(DigestOf(DigestKind::kSha256, text + "rest"));
}

std::string Finished(Sha256State& state, const std::string& text) {
  return Hex(FinishSha256(state, "rest", text.size() + 4));
}

TEST(Sha256Blocks, EveryWayOfThisProcessorIsTheLibrarys) {
  constexpr size_t kBlocks = 5;
  for (const Sha256Way& way : Sha256Ways()) {
    for (size_t count = 1; count <= way.texts; ++count) {
      const auto texts = Texts(count, [](size_t) { return kBlocks; });
      std::vector<Sha256State> states(count);
      auto lanes = Lanes(texts, states);
      std::vector<Sha256Lane*> some;
      for (Sha256Lane& lane : lanes) some.push_back(&lane);
      way.add(some, 2);  // and from there on
      way.add(some, kBlocks - 2);
      for (size_t i = 0; i < count; ++i) {
        EXPECT_EQ(lanes[i].count, 0u);
        EXPECT_EQ(lanes[i].blocks, texts[i].data() + texts[i].size());
        EXPECT_EQ(Finished(states[i], texts[i]), Library(texts[i]))
            << way.name << ", text " << i << " of " << count;
      }
    }
  }
}

TEST(Sha256Blocks, LanesOfDifferentLengthsEndEachAtItsOwn) {
  for (size_t count = 0; count <= 20; ++count) {
    const auto texts = Texts(count, [](size_t i) { return i * 5 % 23; });
    std::vector<Sha256State> states(count);
    auto lanes = Lanes(texts, states);
    AddSha256Blocks(lanes);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(Finished(states[i], texts[i]), Library(texts[i])) << i << " of " << count;
    }
  }
}

}  // namespace
}  // namespace muster::s3
