#include <gmock/gmock.h>

#include "transfer/existing.h"
#include "transfer/fetch.h"

namespace muster::transfer {
namespace {

using s3::Checksum;
using s3::DigestKind;

TEST(KindFor, PartsUseADigestThatCanBeCombined) {
  const Checksum crc{DigestKind::kCrc64Nvme, "x"}, sha{DigestKind::kSha256, "x"};
  EXPECT_EQ(KindFor(crc, true, false), DigestKind::kCrc64Nvme);
  EXPECT_EQ(KindFor(sha, true, true), DigestKind::kSha256);
  EXPECT_EQ(KindFor(sha, true, false), DigestKind::kCrc32c);
  EXPECT_EQ(KindFor(std::nullopt, true, true), DigestKind::kMd5);
  EXPECT_EQ(KindFor(std::nullopt, true, false), DigestKind::kCrc32c);
  EXPECT_EQ(KindFor(std::nullopt, false, true), DigestKind::kCrc32c);
}

TEST(Judge, ReturnsTheProof) {
  const std::string raw = s3::DigestOf(DigestKind::kCrc32c, "hello");
  EXPECT_EQ(Judge(Checksum{DigestKind::kCrc32c, s3::Base64(raw)}, "", DigestKind::kCrc32c, raw),
            Check::kCrc);
  EXPECT_EQ(Judge(std::nullopt, "5D41402ABC4B2A76B9719D911017C592", DigestKind::kMd5,
                  s3::DigestOf(DigestKind::kMd5, "hello")),
            Check::kMd5);
  EXPECT_EQ(Judge(std::nullopt, "", DigestKind::kCrc32c, raw), Check::kLength);
}

TEST(Judge, DifferentDigestIsCorruption) {
  const std::string raw = s3::DigestOf(DigestKind::kCrc32c, "hellO");
  EXPECT_EQ(
      Judge(Checksum{DigestKind::kCrc32c, "AAAAAA=="}, "", DigestKind::kCrc32c, raw).error().code,
      Code::kCorrupt);
  EXPECT_EQ(Judge(std::nullopt, std::string(32, 'a'), DigestKind::kMd5,
                  s3::DigestOf(DigestKind::kMd5, "hello"))
                .error()
                .code,
            Code::kCorrupt);
}

TEST(LooksUnchanged, SizeAndTimeDecide) {
  Item item;
  item.size = 5;
  item.mtime_ms = 1000;
  const Existing same{5, 1000, ""}, older{5, 999, ""}, newer{5, 2000, ""}, longer{6, 2000, ""};
  EXPECT_FALSE(LooksUnchanged(item, same, Skip::kNever));
  EXPECT_TRUE(LooksUnchanged(item, same, Skip::kUnchanged));
  EXPECT_TRUE(LooksUnchanged(item, newer, Skip::kUnchanged));
  EXPECT_FALSE(LooksUnchanged(item, older, Skip::kUnchanged));
  EXPECT_FALSE(LooksUnchanged(item, longer, Skip::kUnchanged));
  EXPECT_TRUE(LooksUnchanged(item, older, Skip::kSameSize));
  EXPECT_FALSE(LooksUnchanged(item, longer, Skip::kSameSize));
}

}  // namespace
}  // namespace muster::transfer
