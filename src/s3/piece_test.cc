#include "s3/piece.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace muster::s3 {
namespace {

TEST(Piece, BeginsOnAPageAndKeepsItsBytesWhileItGrows) {
  Piece piece;
  std::string expected;
  EXPECT_TRUE(piece.empty());
  for (size_t size = 1; expected.size() + size <= Piece::kMost; size *= 3) {
    const std::string more(size, static_cast<char>('a' + size % 26));
    expected += more;
    piece.Append(more);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(piece.data()) % Piece::kPage, 0u);
    ASSERT_TRUE(piece.bytes() == expected) << size;
  }
  piece.Append("");
  EXPECT_EQ(piece.size(), expected.size());
}

TEST(Piece, AFullOneHasRoomForWhatAHashWantsBehindIt) {
  Piece piece;
  piece.Reserve(Piece::kMost);
  const char* const memory = piece.data();
  piece.Append(std::string(Piece::kMost, 'x'));
  piece.Append(std::string(128, 'y'));
  EXPECT_EQ(piece.data(), memory);
}

TEST(Piece, MemoryOfManySizesIsUsedAgainAndDoesNotMix) {
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<Piece>> pieces;
    for (size_t i = 0; i < 200; ++i) {  // more than is kept
      pieces.push_back(std::make_unique<Piece>());
      pieces.back()->Append(std::string((i % 9 + 1) * 28'000, static_cast<char>(i)));
    }
    for (size_t i = 0; i < pieces.size(); ++i) {
      const std::string expected((i % 9 + 1) * 28'000, static_cast<char>(i));
      ASSERT_TRUE(pieces[i]->bytes() == expected) << i;
    }
  }
}

}  // namespace
}  // namespace muster::s3
