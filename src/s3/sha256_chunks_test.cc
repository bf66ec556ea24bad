#include "objects/chunk_hashes.h"

#include <vector>

#include <gmock/gmock.h>

#include "s3/digest.h"

namespace muster::objects {
namespace {

TEST(ChunkHashes, AreThoseOfTheChunksWhateverThePieces) {
  const std::vector<size_t> lengths = {65536, 65536, 1, 63, 64, 65, 127, 9000, 10'000, 65536, 7};
  std::string text;
  std::vector<std::string> expected;
  for (const size_t length : lengths) {
    std::string chunk(length, 0);
    for (size_t i = 0; i < length; ++i) chunk[i] = static_cast<char>((i * 31 + text.size()) >> 3);
    expected.push_back(s3::DigestOf(s3::DigestKind::kSha256, chunk));
    text += chunk;
  }
  for (const size_t step : {1ul, 63ul, 64ul, 1000ul, 65536ul, text.size()}) {
    ChunkHashes hashes;
    std::vector<std::string> seen;
    for (const size_t length : lengths) hashes.Expect(static_cast<int64_t>(length));
    for (size_t at = 0; at < text.size(); at += step) {
      hashes.Add(std::string_view(text).substr(at, step),
                 [&](const std::string& hash) { seen.push_back(hash); });
    }
    EXPECT_EQ(seen, expected) << step;
  }
}

TEST(ChunkHashes, WhatIsSkippedIsNotHashed) {
  ChunkHashes hashes;
  hashes.Skip(5);
  hashes.Skip(6);
  hashes.Expect(3);
  hashes.Skip(4);
  hashes.Expect(2);
  std::vector<std::string> seen;
  for (const std::string_view bytes : {"skipp", "ed-skipabcsk", "ip", "de"}) {
    hashes.Add(bytes, [&](const std::string& hash) { seen.push_back(hash); });
  }
  EXPECT_THAT(seen, testing::ElementsAre(s3::DigestOf(s3::DigestKind::kSha256, "pab"),
                                         s3::DigestOf(s3::DigestKind::kSha256, "pd")));
}

}  // namespace
}  // namespace muster::objects
