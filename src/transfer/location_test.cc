#include "transfer/location.h"

#include <gmock/gmock.h>

namespace muster::transfer {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Location, PathIsAFile) {
  for (const char* text : {"a", "/a/b", "./s3", "a:b", "s3:x", "./s3:/x", "a b://c"}) {
    const auto location = ParseLocation(text);
    ASSERT_TRUE(location) << text;
    EXPECT_EQ(location->kind, Location::Kind::kFile) << text;
    EXPECT_EQ(location->path.string(), text);
  }
  EXPECT_TRUE(ParseLocation("dir/")->names_folder);
  EXPECT_EQ(ParseLocation("file:///x/y")->path, "/x/y");
}

TEST(Location, BucketWithOneSlashIsRejected) {
  for (const char* text : {"s3:/bucket/key", "obs:/bucket/key", "S3:/bucket", "s3:/"}) {
    const auto location = ParseLocation(text);
    ASSERT_FALSE(location) << text;
    EXPECT_EQ(location.error().code, Code::kInvalid);
  }
  EXPECT_THAT(ParseLocation("s3:/bucket/key").error().next,
              HasSubstr("did you mean s3://bucket/key?"));
}

TEST(Location, BothSchemesNameAnObject) {
  for (const char* text : {"s3://bucket/a/b", "obs://bucket/a/b", "OBS://bucket/a/b"}) {
    const auto location = ParseLocation(text);
    ASSERT_TRUE(location) << text;
    EXPECT_EQ(location->bucket, "bucket");
    EXPECT_EQ(location->key, "a/b");
    EXPECT_FALSE(location->names_folder);
  }
  EXPECT_TRUE(ParseLocation("s3://bucket")->names_folder);
  EXPECT_TRUE(ParseLocation("s3://bucket/dir/")->names_folder);
}

TEST(Location, EveryByteOfAKeyIsKept) {
  EXPECT_EQ(ParseLocation("s3://bucket//a/../b//c ")->key, "/a/../b//c ");
  EXPECT_EQ(ParseLocation("s3://bucket/a%20b?c#d")->key, "a%20b?c#d");
}

TEST(Location, ProfilePrecedesTheBucket) {
  const auto location = ParseLocation("s3://minio@bucket/k@y");
  EXPECT_EQ(location->profile, "minio");
  EXPECT_EQ(location->bucket, "bucket");
  EXPECT_EQ(location->key, "k@y");
  EXPECT_EQ(Show(*location), "s3://minio@bucket/k@y");
}

TEST(Location, QueryOfAUrlIsKeptButNotShown) {
  const auto location = ParseLocation("HTTPS://host:8443/a b/é?X-Amz-Signature=secret#part");
  ASSERT_TRUE(location);
  EXPECT_EQ(location->origin, "https://host:8443");
  EXPECT_EQ(location->target, "/a%20b/%C3%A9?X-Amz-Signature=secret");
  EXPECT_THAT(Show(*location), Not(HasSubstr("secret")));
  EXPECT_EQ(LastName(*location), "é");
  EXPECT_EQ(ParseLocation("http://host")->target, "/");
}

TEST(Location, InvalidLocationsAreRejected) {
  for (const char* text :
       {"", "s3://", "s3:///key", "s3://a", "s3://@bucket/k", "s3://a..b/k", "ftp://host/x",
        "http://", "http://user@host/", "http://host:99999/", "http://host/a\nb", "file://"}) {
    const auto location = ParseLocation(text);
    ASSERT_FALSE(location) << text;
    EXPECT_EQ(location.error().code, Code::kInvalid);
    EXPECT_NE(location.error().next, "");
  }
  EXPECT_FALSE(ParseLocation("s3://bucket/" + std::string(1025, 'k')));
}

TEST(Location, BelowJoinsWithOneSlash) {
  EXPECT_EQ(Below(ParseLocation("s3://bucket").value(), "a/b").key, "a/b");
  EXPECT_EQ(Below(ParseLocation("s3://bucket/p").value(), "a").key, "p/a");
  EXPECT_EQ(Below(ParseLocation("s3://bucket/p/").value(), "a").key, "p/a");
  EXPECT_EQ(Below(ParseLocation("d").value(), "a").path, "d/a");
  EXPECT_EQ(Below(ParseLocation("http://h/d").value(), "a b").target, "/d/a%20b");
}

TEST(Location, ExactKeepsEveryByteWithoutSecrets) {
  EXPECT_EQ(Exact(ParseLocation("obs://p@bucket/a\n\x01").value()), "s3://p@bucket/a\n\x01");
  EXPECT_EQ(Exact(ParseLocation("http://h/a?sig=x").value()), "http://h/a");
  EXPECT_TRUE(os::Path(Exact(ParseLocation("a").value())).is_absolute());
}

TEST(Location, LastNameIsNeverDots) {
  EXPECT_EQ(LastName(ParseLocation("s3://bucket/a/b.txt").value()), "b.txt");
  EXPECT_EQ(LastName(ParseLocation("s3://bucket/a/..").value()), "");
  EXPECT_EQ(LastName(ParseLocation("s3://bucket").value()), "");
  EXPECT_EQ(LastName(ParseLocation("http://h/a/%2e%2e").value()), "");
}

}  // namespace
}  // namespace muster::transfer
