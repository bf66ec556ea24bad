#include "s3/shared_sums.h"

#include <barrier>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "s3/digest.h"
#include "s3/md5_lanes.h"

namespace muster::s3 {
namespace {

std::string Sample(size_t size, int seed) {
  std::string bytes(size, 0);
  uint64_t x = 0x9E3779B97F4A7C15u * static_cast<uint64_t>(seed + 1);
  for (char& c : bytes) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    c = static_cast<char>(x);
  }
  return bytes;
}

using Sha256 = SharedSums::Sha256;

std::string OneByOne(std::string_view bytes) { return Hex(DigestOf(DigestKind::kMd5, bytes)); }

TEST(SharedSums, IsTheMd5OfEveryLength) {
  for (size_t size = 0; size < 200; ++size) {
    const std::string bytes = Sample(size, 1);
    SharedSums md5;
    md5.Add(bytes);
    EXPECT_EQ(Hex(md5.Finish().md5), OneByOne(bytes)) << size;
  }
}

TEST(SharedSums, WithoutAByteItIsTheMd5OfNothing) {
  SharedSums md5;
  EXPECT_EQ(Hex(md5.Finish().md5), OneByOne(""));
}

TEST(SharedSums, TextsThatComeTogetherDoNotMix) {
  constexpr size_t kTexts = 37;  // more than are hashed abreast anywhere
  std::vector<std::string> bytes;
  std::vector<SharedSums> md5s(kTexts);
  for (size_t i = 0; i < kTexts; ++i) bytes.push_back(Sample(10'007 * i + i, static_cast<int>(i)));
  for (size_t at = 0; at < bytes.back().size(); at += 20'011) {
    for (size_t i = 0; i < kTexts; ++i) {
      if (at < bytes[i].size()) md5s[i].Add(std::string_view(bytes[i]).substr(at, 20'011));
    }
  }
  for (size_t i = 0; i < kTexts; ++i) EXPECT_EQ(Hex(md5s[i].Finish().md5), OneByOne(bytes[i])) << i;
}

TEST(SharedSums, TakesAPieceLargerThanItsRoom) {
  const std::string bytes = Sample(SharedSums::kMostWaiting * 3 / 2 + 321, 5);
  SharedSums md5;
  md5.Add(bytes.substr(0, 7));
  md5.Add(std::string_view(bytes).substr(7));
  EXPECT_EQ(Hex(md5.Finish().md5), OneByOne(bytes));
}

TEST(SharedSums, ADroppedTextLeavesTheOthersAlone) {
  const std::string bytes = Sample(300'000, 6);
  SharedSums kept;
  kept.Add(std::string_view(bytes).substr(0, 60'000));
  {
    SharedSums dropped;
    dropped.Add(bytes);
  }
  kept.Add(std::string_view(bytes).substr(60'000));
  EXPECT_EQ(Hex(kept.Finish().md5), OneByOne(bytes));
}

TEST(SharedSums, MovesWithWhatItHasSeen) {
  const std::string bytes = Sample(100'000, 7);
  SharedSums first;
  first.Add(std::string_view(bytes).substr(0, 50'000));
  SharedSums second = std::move(first);
  second.Add(std::string_view(bytes).substr(50'000));
  EXPECT_EQ(Hex(second.Finish().md5), OneByOne(bytes));
}

TEST(SharedSums, ThreadsHashEachOthersTexts) {
  constexpr int kThreads = 4, kTexts = 5;
  std::barrier together(kThreads);
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&together, t] {
      std::vector<std::string> bytes;
      for (int i = 0; i < kTexts; ++i) {
        bytes.push_back(Sample(size_t(150'000 + 140'000 * i), t * kTexts + i));
      }
      together.arrive_and_wait();
      std::vector<SharedSums> md5s(kTexts);
      for (size_t at = 0; at < bytes.back().size(); at += 30'000) {
        for (size_t i = 0; i < kTexts; ++i) {
          if (at < bytes[i].size()) md5s[i].Add(std::string_view(bytes[i]).substr(at, 30'000));
        }
      }
      for (size_t i = 0; i < kTexts; ++i) EXPECT_EQ(Hex(md5s[i].Finish().md5), OneByOne(bytes[i]));
    });
  }
}

TEST(SharedSums, LongTextsOfTwoThreadsLeaveRoomForShortOnes) {
  std::barrier together(3);
  std::vector<std::jthread> threads;
  for (const size_t size : {SharedSums::kMostWaiting * 2 + 17, SharedSums::kMostWaiting * 3}) {
    threads.emplace_back([&together, size] {
      const std::string bytes = Sample(size, static_cast<int>(size % 100));
      together.arrive_and_wait();
      SharedSums md5;
      for (size_t at = 0; at < size; at += 50'000) {
        md5.Add(std::string_view(bytes).substr(at, 50'000));
      }
      EXPECT_EQ(Hex(md5.Finish().md5), OneByOne(bytes));
    });
  }
  together.arrive_and_wait();
  for (int i = 0; i < 100; ++i) {
    const std::string bytes = Sample(size_t(700 * i), i);
    SharedSums md5;
    md5.Add(bytes);
    EXPECT_EQ(Hex(md5.Finish().md5), OneByOne(bytes));
  }
}

TEST(SharedSums, IsTheSha256OfEveryLengthToo) {
  for (size_t size = 0; size < 200; ++size) {
    const std::string bytes = Sample(size, 2);
    SharedSums sums(Sha256::kWanted);
    sums.Add(bytes);
    const auto [md5, sha256] = sums.Finish();
    EXPECT_EQ(Hex(sha256), Hex(DigestOf(DigestKind::kSha256, bytes))) << size;
    EXPECT_EQ(Hex(md5), OneByOne(bytes)) << size;
  }
  SharedSums nothing(Sha256::kWanted);
  EXPECT_EQ(Hex(nothing.Finish().sha256), Hex(DigestOf(DigestKind::kSha256, "")));
}

TEST(SharedSums, TextsWithAndWithoutSha256ComeTogether) {
  std::vector<std::string> bytes;
  std::vector<SharedSums> sums;
  for (size_t i = 0; i < 21; ++i) {
    bytes.push_back(Sample(1'000'003 + 60'007 * i, static_cast<int>(i)));
    sums.emplace_back(i % 3 != 0 ? Sha256::kWanted : Sha256::kNone);
  }
  for (size_t at = 0; at < bytes.back().size(); at += 70'001) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (at < bytes[i].size()) sums[i].Add(std::string_view(bytes[i]).substr(at, 70'001));
    }
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto [md5, sha256] = sums[i].Finish();
    EXPECT_EQ(Hex(md5), OneByOne(bytes[i])) << i;
    EXPECT_EQ(Hex(sha256), i % 3 != 0 ? Hex(DigestOf(DigestKind::kSha256, bytes[i])) : "") << i;
  }
}

// Several texts at a time, each of chunks of its own length, of which every third is skipped.
TEST(SharedSums, HashesTheChunksThatAreAskedForBesideTheWhole) {
  constexpr size_t kTexts = 5;
  const auto chunk_of = [](size_t text) { return size_t(60'000) + text * 1'777; };
  std::vector<std::string> bytes;
  std::vector<SharedSums> sums;
  std::vector<std::vector<std::string>> expected(kTexts), seen(kTexts);
  for (size_t i = 0; i < kTexts; ++i) {
    bytes.push_back(Sample(2'000'003 + 300'007 * i, static_cast<int>(i)));
    sums.emplace_back(i % 2 == 0 ? Sha256::kWanted : Sha256::kNone);
  }
  for (size_t number = 0; number * chunk_of(0) < bytes.back().size(); ++number) {
    for (size_t i = 0; i < kTexts; ++i) {
      if (number * chunk_of(i) >= bytes[i].size()) continue;
      const auto chunk = std::string_view(bytes[i]).substr(number * chunk_of(i), chunk_of(i));
      if (number % 3 == 0) {
        sums[i].Skip(std::ssize(chunk));
      } else {
        sums[i].Expect(std::ssize(chunk));
        expected[i].push_back(Hex(DigestOf(DigestKind::kSha256, chunk)));
      }
      sums[i].Add(chunk.substr(0, 7));
      sums[i].Add(chunk.substr(7));
      for (const std::string& hash : sums[i].TakeChunks()) seen[i].push_back(Hex(hash));
    }
  }
  for (size_t i = 0; i < kTexts; ++i) {
    const auto [md5, sha256] = sums[i].Finish();
    for (const std::string& hash : sums[i].TakeChunks()) seen[i].push_back(Hex(hash));
    EXPECT_EQ(Hex(md5), OneByOne(bytes[i])) << i;
    EXPECT_EQ(Hex(sha256), i % 2 == 0 ? Hex(DigestOf(DigestKind::kSha256, bytes[i])) : "") << i;
    EXPECT_EQ(seen[i], expected[i]) << i;
  }
}

TEST(SharedSums, ATextThatEndsBeforeItsChunkHasNoHashOfIt) {
  SharedSums sums;
  sums.Expect(10);
  sums.Add("short");
  EXPECT_EQ(Hex(sums.Finish().md5), OneByOne("short"));
  EXPECT_THAT(sums.TakeChunks(), testing::IsEmpty());
  SharedSums nothing;
  nothing.Expect(10);
  EXPECT_EQ(Hex(nothing.Finish().md5), OneByOne(""));
}

TEST(SharedSums, SeesEveryByteOnceAndInOrder) {
  const std::string bytes = Sample(1'500'000, 8);
  std::string seen;
  const SharedSums::Sight see = [&](const SharedPiece& piece) { seen += piece->bytes(); };
  SharedSums sums;
  for (size_t at = 0; at < bytes.size(); at += 33'333) {
    sums.Add(std::string_view(bytes).substr(at, 33'333), see);
  }
  sums.Finish(see);
  EXPECT_TRUE(seen == bytes);
}

TEST(SharedSums, ManyTextsAtATimeHaveSmallPieces) {
  const std::string bytes = Sample(SharedSums::kMostWaiting / 8, 9);
  size_t alone = 0, among_many = 0;
  {
    SharedSums one;
    one.Add(bytes, [&](const SharedPiece& piece) { alone = piece->size(); });
  }
  std::vector<SharedSums> others(500);
  for (SharedSums& other : others) other.Add("a");
  SharedSums last;
  last.Add(bytes, [&](const SharedPiece& piece) { among_many = piece->size(); });
  EXPECT_EQ(alone, Piece::kMost);
  EXPECT_GT(among_many, 0u);
  EXPECT_LT(among_many, Piece::kMost / 4);
  EXPECT_EQ(Hex(last.Finish().md5), OneByOne(bytes));
}

TEST(Md5Lanes, LanesOfDifferentLengthsEndEachAtItsOwn) {
  std::vector<std::string> texts;
  std::vector<Md5State> states(20), alone(20);
  std::vector<Md5Lane> lanes;
  for (size_t i = 0; i < states.size(); ++i) texts.push_back(Sample(i * 3 * kMd5Block, int(i)));
  for (size_t i = 0; i < states.size(); ++i) lanes.push_back({&states[i], texts[i].data(), i * 3});
  AddMd5Blocks(lanes);
  for (size_t i = 0; i < states.size(); ++i) {
    Md5Lane lane{&alone[i], texts[i].data(), i * 3};
    AddMd5Blocks({&lane, 1});
    EXPECT_EQ(states[i].words, alone[i].words) << i;
  }
}

}  // namespace
}  // namespace muster::s3
