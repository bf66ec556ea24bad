#include "s3/sha256_chunks.h"

#include <gmock/gmock.h>

#include "s3/digest.h"

namespace muster::s3 {
namespace {

// Adds the bytes, hashes what becomes of them, and says which chunks have ended.
std::vector<std::string> Add(Sha256Chunks& chunks, std::string_view bytes) {
  std::vector<Sha256Lane> lanes;
  chunks.Add(bytes, lanes);
  AddSha256Blocks(lanes);
  return chunks.TakeEnded();
}

TEST(Sha256Chunks, AreThoseOfTheChunksWhateverThePieces) {
  const std::vector<size_t> lengths = {65536, 65536, 1, 63, 64, 65, 127, 9000, 10'000, 65536, 7};
  std::string text;
  std::vector<std::string> expected;
  for (const size_t length : lengths) {
    std::string chunk(length, 0);
    for (size_t i = 0; i < length; ++i) chunk[i] = static_cast<char>((i * 31 + text.size()) >> 3);
    expected.push_back(DigestOf(DigestKind::kSha256, chunk));
    text += chunk;
  }
  for (const size_t step : {1ul, 63ul, 64ul, 1000ul, 65536ul, text.size()}) {
    Sha256Chunks chunks;
    std::vector<std::string> seen;
    for (const size_t length : lengths) chunks.Expect(static_cast<int64_t>(length));
    for (size_t at = 0; at < text.size(); at += step) {
      for (const std::string& hash : Add(chunks, std::string_view(text).substr(at, step))) {
        seen.push_back(hash);
      }
    }
    EXPECT_EQ(seen, expected) << step;
  }
}

TEST(Sha256Chunks, WhatIsSkippedIsNotHashed) {
  Sha256Chunks chunks;
  chunks.Skip(5);
  chunks.Skip(6);
  chunks.Expect(3);
  chunks.Skip(4);
  chunks.Expect(2);
  std::vector<std::string> seen;
  for (const std::string_view bytes : {"skipp", "ed-skipabcsk", "ip", "de"}) {
    for (const std::string& hash : Add(chunks, bytes)) seen.push_back(hash);
  }
  EXPECT_THAT(seen, testing::ElementsAre(DigestOf(DigestKind::kSha256, "pab"),
                                         DigestOf(DigestKind::kSha256, "pd")));
}

TEST(Sha256Chunks, WhatIsSkippedBehindAnEndIsANewChunk) {
  Sha256Chunks chunks;
  chunks.Skip(2);
  std::vector<Sha256Lane> lanes;
  chunks.Add("ab", lanes);
  chunks.Skip(1);  // before anybody took what ended
  chunks.Expect(1);
  EXPECT_THAT(Add(chunks, "cd"), testing::ElementsAre(DigestOf(DigestKind::kSha256, "d")));
}

TEST(Sha256Chunks, OneOfUnknownLengthGoesOnUntilItsEnd) {
  for (const size_t size : {0ul, 1ul, 64ul, 1000ul}) {
    const std::string text(size, 'x');
    Sha256Chunks chunks;
    chunks.Expect(Sha256Chunks::kUnknown);
    EXPECT_THAT(Add(chunks, text), testing::IsEmpty());
    chunks.End();
    EXPECT_THAT(chunks.TakeEnded(), testing::ElementsAre(DigestOf(DigestKind::kSha256, text)));
  }
}

}  // namespace
}  // namespace muster::s3
