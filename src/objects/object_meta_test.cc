#include "objects/object_meta.h"

#include <gmock/gmock.h>

namespace muster::objects {
namespace {

// The space that ext4 has for the attribute value in an inode of 256 bytes.
constexpr size_t kRoomInInode = 64;

ObjectMeta Plain() {
  ObjectMeta meta;
  meta.size = 10'240;
  meta.mtime_ns = 1'794'804'000'123'456'789;
  meta.etag = "79477fedfa3209d75ca6bf89f6f67d18";
  return meta;
}

TEST(ObjectMeta, MetadataOfCommonClientsFitsIntoTheInode) {
  for (const char* const type :
       {"", "application/octet-stream", "binary/octet-stream", "application/json", "image/jpeg",
        "text/plain; charset=utf-8", "text/x-python; charset=utf-8", "text/csv; charset=utf-8"}) {
    ObjectMeta meta = Plain();
    meta.size = int64_t(1) << 30;
    meta.content_type = type;
    const std::string text = WriteMeta(meta);
    EXPECT_LE(text.size(), kRoomInInode) << text;
    EXPECT_EQ(ReadMeta(text)->content_type, type);
  }
  ObjectMeta summed = Plain();  // boto3
  summed.checksum = s3::Checksum{s3::DigestKind::kCrc32, "4Yx8QQ=="};
  EXPECT_LE(WriteMeta(summed).size(), kRoomInInode);
}

TEST(ObjectMeta, AnyTypeRoundTrips) {
  for (const char* const type : {"o", "T o", "application/octet-stream; x=1", "weird\ttype\n%"}) {
    ObjectMeta meta = Plain();
    meta.content_type = type;
    EXPECT_EQ(ReadMeta(WriteMeta(meta))->content_type, type);
  }
}

TEST(ObjectMeta, UnabbreviatedTypeIsRead) {
  const auto meta = ReadMeta("1 18e86fca4e3a4233 2800 eUd/7foyCddcpr+J9vZ9GA\nt text/css");
  ASSERT_TRUE(meta);
  EXPECT_EQ(meta->content_type, "text/css");
  EXPECT_EQ(meta->etag, "79477fedfa3209d75ca6bf89f6f67d18");
}

TEST(ObjectMeta, UnknownTypeCodeIsIgnored) {
  const auto meta = ReadMeta("1 1 2 eUd/7foyCddcpr+J9vZ9GA\nT Q");
  ASSERT_TRUE(meta);
  EXPECT_EQ(meta->content_type, "");
}

}  // namespace
}  // namespace muster::objects
