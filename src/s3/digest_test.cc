#include "s3/digest.h"

#include <gmock/gmock.h>

namespace muster::s3 {
namespace {

TEST(Digest, MatchesThePublishedCheckValues) {
  constexpr std::string_view kCheck = "123456789";
  EXPECT_EQ(Hex(DigestOf(DigestKind::kCrc32, kCheck)), "cbf43926");
  EXPECT_EQ(Hex(DigestOf(DigestKind::kCrc32c, kCheck)), "e3069283");
  EXPECT_EQ(Hex(DigestOf(DigestKind::kCrc64Nvme, kCheck)), "ae8b14860a799888");
  EXPECT_EQ(Hex(DigestOf(DigestKind::kMd5, "")), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(Hex(DigestOf(DigestKind::kSha1, "abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(Hex(DigestOf(DigestKind::kSha256, "abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Digest, DoesNotDependOnThePieces) {
  std::string bytes;
  for (int i = 0; i < 5000; ++i) bytes += static_cast<char>(i * 31 + i / 7);
  for (const auto kind : {DigestKind::kMd5, DigestKind::kSha1, DigestKind::kSha256,
                          DigestKind::kCrc32, DigestKind::kCrc32c, DigestKind::kCrc64Nvme}) {
    Digest pieces(kind);
    for (size_t at = 0, step = 1; at < bytes.size(); at += step, step = step % 97 + 1) {
      pieces.Add(std::string_view(bytes).substr(at, step));
    }
    EXPECT_EQ(Hex(pieces.Finish()), Hex(DigestOf(kind, bytes)));
  }
}

TEST(Digest, ChecksumsOfTwoTextsCombine) {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(i * 37 + i / 11);
  for (const auto kind : {DigestKind::kCrc32, DigestKind::kCrc32c, DigestKind::kCrc64Nvme}) {
    for (const size_t cut : {size_t(0), size_t(1), size_t(65536), bytes.size()}) {
      const std::string_view all = bytes;
      EXPECT_EQ(CombineChecksums(kind, DigestOf(kind, all.substr(0, cut)),
                                 DigestOf(kind, all.substr(cut)), int64_t(bytes.size() - cut)),
                DigestOf(kind, all));
    }
  }
}

TEST(Codings, RoundTripAndRejectInvalidText) {
  for (const std::string& bytes : {std::string(), std::string("a"), std::string("ab\0", 3)}) {
    EXPECT_EQ(FromBase64(Base64(bytes)), bytes);
    EXPECT_EQ(FromHex(Hex(bytes)), bytes);
  }
  for (const char* text : {"a", "a===", "####", "YQ", "YR==", "YQ==YQ=="}) {
    EXPECT_FALSE(FromBase64(text)) << text;
  }
  for (const char* text : {"a", "0g", "zz"}) EXPECT_FALSE(FromHex(text)) << text;
}

TEST(SameSecret, ComparesAllBytes) {
  EXPECT_TRUE(SameSecret("abc", "abc"));
  EXPECT_FALSE(SameSecret("abc", "abd"));
  EXPECT_FALSE(SameSecret("abc", "ab"));
}

}  // namespace
}  // namespace muster::s3
