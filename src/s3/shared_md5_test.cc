#include "s3/shared_md5.h"

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

std::string OneByOne(std::string_view bytes) { return Hex(DigestOf(DigestKind::kMd5, bytes)); }

TEST(SharedMd5, IsTheMd5OfEveryLength) {
  for (size_t size = 0; size < 200; ++size) {
    const std::string bytes = Sample(size, 1);
    SharedMd5 md5;
    md5.Add(bytes);
    EXPECT_EQ(Hex(md5.Finish()), OneByOne(bytes)) << size;
  }
}

TEST(SharedMd5, WithoutAByteItIsTheMd5OfNothing) {
  SharedMd5 md5;
  EXPECT_EQ(Hex(md5.Finish()), OneByOne(""));
}

TEST(SharedMd5, TextsThatComeTogetherDoNotMix) {
  constexpr size_t kTexts = 37;  // more than are hashed abreast anywhere
  std::vector<std::string> bytes;
  std::vector<SharedMd5> md5s(kTexts);
  for (size_t i = 0; i < kTexts; ++i) bytes.push_back(Sample(10'007 * i + i, static_cast<int>(i)));
  for (size_t at = 0; at < bytes.back().size(); at += 20'011) {
    for (size_t i = 0; i < kTexts; ++i) {
      if (at < bytes[i].size()) md5s[i].Add(std::string_view(bytes[i]).substr(at, 20'011));
    }
  }
  for (size_t i = 0; i < kTexts; ++i) EXPECT_EQ(Hex(md5s[i].Finish()), OneByOne(bytes[i])) << i;
}

TEST(SharedMd5, TakesAPieceLargerThanItsRoom) {
  const std::string bytes = Sample(SharedMd5::kMostWaiting * 3 / 2 + 321, 5);
  SharedMd5 md5;
  md5.Add(bytes.substr(0, 7));
  md5.Add(std::string_view(bytes).substr(7));
  EXPECT_EQ(Hex(md5.Finish()), OneByOne(bytes));
}

TEST(SharedMd5, ADroppedTextLeavesTheOthersAlone) {
  const std::string bytes = Sample(300'000, 6);
  SharedMd5 kept;
  kept.Add(std::string_view(bytes).substr(0, 60'000));
  {
    SharedMd5 dropped;
    dropped.Add(bytes);
  }
  kept.Add(std::string_view(bytes).substr(60'000));
  EXPECT_EQ(Hex(kept.Finish()), OneByOne(bytes));
}

TEST(SharedMd5, MovesWithWhatItHasSeen) {
  const std::string bytes = Sample(100'000, 7);
  SharedMd5 first;
  first.Add(std::string_view(bytes).substr(0, 50'000));
  SharedMd5 second = std::move(first);
  second.Add(std::string_view(bytes).substr(50'000));
  EXPECT_EQ(Hex(second.Finish()), OneByOne(bytes));
}

TEST(SharedMd5, ThreadsHashEachOthersTexts) {
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
      std::vector<SharedMd5> md5s(kTexts);
      for (size_t at = 0; at < bytes.back().size(); at += 30'000) {
        for (size_t i = 0; i < kTexts; ++i) {
          if (at < bytes[i].size()) md5s[i].Add(std::string_view(bytes[i]).substr(at, 30'000));
        }
      }
      for (size_t i = 0; i < kTexts; ++i) EXPECT_EQ(Hex(md5s[i].Finish()), OneByOne(bytes[i]));
    });
  }
}

TEST(SharedMd5, LongTextsOfTwoThreadsLeaveRoomForShortOnes) {
  std::barrier together(3);
  std::vector<std::jthread> threads;
  for (const size_t size : {SharedMd5::kMostWaiting * 2 + 17, SharedMd5::kMostWaiting * 3}) {
    threads.emplace_back([&together, size] {
      const std::string bytes = Sample(size, static_cast<int>(size % 100));
      together.arrive_and_wait();
      SharedMd5 md5;
      for (size_t at = 0; at < size; at += 50'000) {
        md5.Add(std::string_view(bytes).substr(at, 50'000));
      }
      EXPECT_EQ(Hex(md5.Finish()), OneByOne(bytes));
    });
  }
  together.arrive_and_wait();
  for (int i = 0; i < 100; ++i) {
    const std::string bytes = Sample(size_t(700 * i), i);
    SharedMd5 md5;
    md5.Add(bytes);
    EXPECT_EQ(Hex(md5.Finish()), OneByOne(bytes));
  }
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
