#include "transfer/s3_answers.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace muster::transfer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(S3Answers, ListingWithEncodedKeysIsRead) {
  const auto page = ReadListPage(
      "<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>"
      "<NextContinuationToken>t&amp;1</NextContinuationToken>"
      "<Contents><Key>a%20b%2Fc+d%2B</Key><Size>7</Size><ETag>&quot;e&quot;</ETag>"
      "<LastModified>2026-01-31T14:05:09.000Z</LastModified></Contents>"
      "<CommonPrefixes><Prefix>p%2F</Prefix></CommonPrefixes></ListBucketResult>");
  ASSERT_TRUE(page) << page.error().text;
  ASSERT_EQ(page->objects.size(), 1u);
  EXPECT_EQ(page->objects[0].key, "a b/c d+");
  EXPECT_EQ(page->objects[0].size, 7);
  EXPECT_EQ(page->objects[0].etag, "e");
  EXPECT_GT(page->objects[0].mtime_ms, 0);
  EXPECT_THAT(page->prefixes, ElementsAre("p/"));
  EXPECT_EQ(page->next, "t&1");
}

TEST(S3Answers, ListingWithoutKeysOrTokenIsCorrupt) {
  for (const char* xml :
       {"", "<html/>", "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult><Contents><Size>1</Size></Contents></ListBucketResult>"}) {
    EXPECT_EQ(ReadListPage(xml).error().code, Code::kCorrupt) << xml;
  }
  const auto page = ReadListPage(
      "<ListBucketResult><Contents><Key>k</Key><Size>-5</Size></Contents></ListBucketResult>");
  EXPECT_EQ(page->objects[0].size, 0);
}

TEST(S3Answers, ErrorsKeepTheirNameAndHaveANextStep) {
  http::Response response{403,
                          {{"Date", "Sat, 31 Jan 2026 14:05:09 GMT"}},
                          "<Error><Code>SignatureDoesNotMatch</Code><Message>No.\x1b[31m</Message>"
                          "</Error>"};
  const Trouble trouble = TroubleOf(response, "read s3://b/k");
  EXPECT_EQ(trouble.s3_code, "SignatureDoesNotMatch");
  EXPECT_EQ(trouble.status, 403);
  EXPECT_EQ(trouble.error.code, Code::kDenied);
  EXPECT_GT(trouble.server_wall_ms, 0);
  EXPECT_THAT(trouble.error.text, HasSubstr("cannot read s3://b/k"));
  EXPECT_EQ(trouble.error.text.find('\x1b'), std::string::npos);
  EXPECT_THAT(trouble.error.next, HasSubstr("secret key"));
}

TEST(S3Answers, NextStepNamesTheBucket) {
  for (const char* code : {"NoSuchBucket", "BucketNotEmpty"}) {
    const http::Response response{404, {}, fmt::format("<Error><Code>{}</Code></Error>", code)};
    EXPECT_THAT(TroubleOf(response, "x", "mine").error.next, HasSubstr("s3://mine"));
    EXPECT_THAT(TroubleOf(response, "x").error.next, HasSubstr("s3://BUCKET"));
  }
}

TEST(S3Answers, ErrorResponseWithoutBodyIsAnError) {
  EXPECT_EQ(TroubleOf({404, {}, ""}, "look at x").error.code, Code::kNotFound);
  EXPECT_EQ(TroubleOf({502, {}, "<html>Bad Gateway</html>"}, "x").error.code, Code::kUnavailable);
  EXPECT_EQ(TroubleOf({507, {}, ""}, "x").error.code, Code::kNoSpace);
}

TEST(S3Answers, SuccessResponseMayContainAnError) {
  EXPECT_TRUE(HoldsError({200, {}, "<Error><Code>InternalError</Code></Error>"}));
  EXPECT_FALSE(HoldsError({200, {}, "<CopyObjectResult><ETag>x</ETag></CopyObjectResult>"}));
}

TEST(S3Answers, OnlyAChecksumOfTheWholeObjectCounts) {
  http::Response response{200, {{"ETag", "\"x\""}, {"x-amz-checksum-crc32c", "AAAAAA=="}}, ""};
  ASSERT_TRUE(ReadObjectHead(response).checksum);
  EXPECT_EQ(ReadObjectHead(response).checksum->value, "AAAAAA==");
  response.headers.emplace_back("x-amz-checksum-type", "COMPOSITE");
  EXPECT_FALSE(ReadObjectHead(response).checksum);
  EXPECT_FALSE(ReadObjectHead({200, {{"x-amz-checksum-crc32c", "AAAAAA==-3"}}, ""}).checksum);
}

TEST(S3Answers, ETagIsAnMd5OnlyIfPossible) {
  const std::string md5(32, 'a');
  EXPECT_TRUE(ReadObjectHead({200, {{"ETag", '"' + md5 + '"'}}, ""}).etag_is_md5);
  EXPECT_FALSE(ReadObjectHead({200, {{"ETag", '"' + md5 + "-2\""}}, ""}).etag_is_md5);
  EXPECT_FALSE(
      ReadObjectHead(
          {200, {{"ETag", '"' + md5 + '"'}, {"x-amz-server-side-encryption", "aws:kms"}}, ""})
          .etag_is_md5);
}

TEST(S3Answers, SizeIsThatOfTheWholeObject) {
  EXPECT_EQ(
      ReadObjectHead({206, {{"Content-Length", "5"}, {"Content-Range", "bytes 0-4/99"}}, ""}).size,
      99);
  EXPECT_EQ(ReadObjectHead({200, {{"Content-Length", "5"}}, ""}).size, 5);
}

TEST(S3Answers, CompositeETagsMatchThoseOfStores) {
  const CompletedPart parts[] = {{1, "5d41402abc4b2a76b9719d911017c592", ""},
                                 {2, "7d793037a0760186574b0282f2f435e7", ""}};
  EXPECT_EQ(CompositeETag(parts), "065947336a2f2a95ba8899f3675c3be6-2");
  const CompletedPart odd[] = {{1, "no md5", ""}};
  EXPECT_EQ(CompositeETag(odd), "");
}

TEST(S3Answers, WrittenDocumentsAreReadBack) {
  const std::string keys[] = {"a&b", "<c>"};
  EXPECT_THAT(WriteDelete(keys), HasSubstr("<Key>a&amp;b</Key>"));
  const CompletedPart parts[] = {{1, "e", "AAAAAA=="}};
  EXPECT_THAT(WriteComplete(parts), HasSubstr("<ChecksumCRC32C>AAAAAA==</ChecksumCRC32C>"));
  const auto faults = ReadDeleteFaults(
      "<DeleteResult><Error><Key>k</Key><Code>AccessDenied</Code></Error></DeleteResult>");
  ASSERT_EQ(faults->size(), 1u);
  EXPECT_EQ(faults->at(0).s3_code, "AccessDenied");
}

}  // namespace
}  // namespace muster::transfer
