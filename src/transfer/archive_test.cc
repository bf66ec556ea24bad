#include "transfer/archive.h"

#include <gmock/gmock.h>

namespace muster::transfer {
namespace {

// A header field of the first file, up to its first zero byte.
std::string_view FieldAt(const std::string& archive, size_t at, size_t length) {
  const std::string_view field = std::string_view(archive).substr(at, length);
  return field.substr(0, field.find('\0'));
}

TEST(Archive, HasHeaderAndWholeBlocks) {
  std::string archive;
  AddToArchive(archive, "d/f", "hello", 1'700'000'000);
  ASSERT_EQ(archive.size(), 1024u);
  EXPECT_EQ(FieldAt(archive, 0, 100), "d/f");
  EXPECT_EQ(FieldAt(archive, 100, 8), "0000644");
  EXPECT_EQ(FieldAt(archive, 124, 12), "00000000005");
  EXPECT_EQ(FieldAt(archive, 136, 12), "14524770400");
  EXPECT_EQ(archive[156], '0');
  EXPECT_EQ(archive.substr(257, 8), std::string("ustar\00000", 8));
  EXPECT_EQ(FieldAt(archive, 345, 155), "");
  EXPECT_EQ(archive.substr(512, 6), std::string("hello\0", 6));
  EndArchive(archive);
  EXPECT_EQ(archive.size(), 2048u);
}

TEST(Archive, HeaderChecksumIsCorrect) {
  std::string archive;
  AddToArchive(archive, "key", std::string(512, 'x'), 1);
  ASSERT_EQ(archive.size(), 1024u);  // no surplus block
  const long told = std::stol(archive.substr(148, 6), nullptr, 8);
  EXPECT_EQ(archive.substr(154, 2), std::string("\0 ", 2));
  archive.replace(148, 8, 8, ' ');
  long sum = 0;
  for (const char c : archive.substr(0, 512)) sum += static_cast<unsigned char>(c);
  EXPECT_EQ(told, sum);
}

TEST(Archive, LongKeysAreSplitAtASlash) {
  const std::string folder(150, 'd'), name(90, 'n');
  std::string archive;
  AddToArchive(archive, folder + "/" + name, "", 1);
  EXPECT_EQ(FieldAt(archive, 345, 155), folder);
  EXPECT_EQ(FieldAt(archive, 0, 100), name);
}

TEST(Archive, KeysThatSurviveUnpackingAreAccepted) {
  for (const std::string& key :
       {std::string("a"), std::string("a/b.c"), std::string("a/.b"), std::string(100, 'n'),
        std::string(155, 'd') + "/" + std::string(100, 'n'), std::string("...")}) {
    EXPECT_TRUE(FitsArchive(key)) << key;
  }
  for (const std::string& key :
       {std::string(), std::string("/a"), std::string("a/"), std::string("a//b"),
        std::string("./a"), std::string("a/../b"), std::string("a/."), std::string("a b"),
        std::string("a\\b"), std::string("\xc3\xa4"), std::string("a\nb"), std::string(101, 'n'),
        std::string(156, 'd') + "/" + std::string(100, 'n'), std::string("a\0b", 3)}) {
    EXPECT_FALSE(FitsArchive(key)) << key;
  }
}

}  // namespace
}  // namespace muster::transfer
