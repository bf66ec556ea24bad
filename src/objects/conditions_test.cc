#include "objects/conditions.h"

#include <gmock/gmock.h>

#include "objects/sample_requests.h"
#include "s3/time_text.h"

namespace muster::objects {
namespace {

TEST(EtagListHas, AcceptsEverySpelling) {
  for (const char* list : {"abc", "\"abc\"", "W/\"abc\"", "%22abc%22", " \"x\" , \"abc\" ", "*"}) {
    EXPECT_TRUE(EtagListHas(list, "abc")) << list;
  }
  for (const char* list : {"", "ab", "\"abcd\"", "\"x\",\"y\""}) {
    EXPECT_FALSE(EtagListHas(list, "abc")) << list;
  }
}

TEST(ReadRange, LimitsAndRefusesRanges) {
  const auto range = [](const char* text) { return ReadRange(text, 10); };
  const auto is = [&](const char* text, int64_t offset, int64_t length) {
    const auto read = range(text);
    return read && *read && (*read)->offset == offset && (*read)->length == length;
  };
  EXPECT_TRUE(is("bytes=0-0", 0, 1));
  EXPECT_TRUE(is("bytes=2-4", 2, 3));
  EXPECT_TRUE(is("bytes=5-", 5, 5));
  EXPECT_TRUE(is("bytes=8-99999999999999999", 8, 2));
  EXPECT_TRUE(is("bytes=-3", 7, 3));
  EXPECT_TRUE(is("bytes=-30", 0, 10));
  for (const char* text : {"", "bytes=", "bytes=-", "bytes=a-b", "bytes=4-2", "bytes=0-1,3-4",
                           "items=0-1", "bytes=0--1", "bytes=99999999999999999999-"}) {
    EXPECT_TRUE(range(text) && !*range(text)) << text;
  }
  EXPECT_EQ(range("bytes=10-").error().code, S3Code::kInvalidRange);
  EXPECT_EQ(range("bytes=-0").error().code, S3Code::kInvalidRange);
  EXPECT_EQ(ReadRange("bytes=0-", 0).error().code, S3Code::kInvalidRange);
}

TEST(Conditions, EtagPrecedesTime) {
  ObjectMeta meta;
  meta.etag = "abc";
  meta.mtime_ns = *s3::ParseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT") * 1'000'000 + 999'000'000;
  const auto code = [&](http::Headers headers) {
    headers.emplace_back("Host", "h");
    const auto status = CheckRead(SampleRequest("GET", "/bucket/k", headers), meta);
    return status ? S3Code::kInternalError : status.error().code;
  };
  constexpr auto kFine = S3Code::kInternalError;
  EXPECT_EQ(code({}), kFine);
  EXPECT_EQ(code({{"If-Match", "abc"}, {"If-Unmodified-Since", "Sun, 06 Nov 1994 08:00:00 GMT"}}),
            kFine);
  EXPECT_EQ(code({{"If-Unmodified-Since", "Sun, 06 Nov 1994 08:00:00 GMT"}}),
            S3Code::kPreconditionFailed);
  EXPECT_EQ(code({{"If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}}), kFine);
  EXPECT_EQ(code({{"If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}}), S3Code::kNotModified);
  EXPECT_EQ(code({{"If-None-Match", "x"}, {"If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}}),
            kFine);
  EXPECT_EQ(code({{"If-None-Match", "*"}}), S3Code::kNotModified);
  EXPECT_EQ(code({{"If-Match", "x"}}), S3Code::kPreconditionFailed);
}

TEST(Conditions, WriteConditionsRequireOrForbidAnObject) {
  ObjectMeta meta;
  meta.etag = "abc";
  EXPECT_TRUE((WriteCondition{.if_none_match = "*"}.Check(nullptr)));
  EXPECT_EQ((WriteCondition{.if_none_match = "*"}.Check(&meta)).error().code,
            S3Code::kPreconditionFailed);
  EXPECT_TRUE((WriteCondition{.if_match = "\"abc\""}.Check(&meta)));
  EXPECT_EQ((WriteCondition{.if_match = "\"x\""}.Check(&meta)).error().code,
            S3Code::kPreconditionFailed);
  EXPECT_EQ((WriteCondition{.if_match = "\"x\""}.Check(nullptr)).error().code, S3Code::kNoSuchKey);
}

TEST(Conditions, AllConditionsOfARemovalMustHold) {
  ObjectMeta meta;
  meta.etag = "abc";
  meta.size = 5;
  meta.mtime_ns = *s3::ParseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT") * 1'000'000 + 999'000'000;
  const auto code = [&](http::Headers headers, const ObjectMeta* current) {
    headers.emplace_back("Host", "h");
    const auto condition = RemoveConditionOf(SampleRequest("DELETE", "/bucket/k", headers));
    if (!condition) return condition.error().code;
    const auto status = condition->Check(current);
    return status ? S3Code::kInternalError : status.error().code;
  };
  constexpr auto kFine = S3Code::kInternalError;
  EXPECT_EQ(code({}, &meta), kFine);
  EXPECT_EQ(code({}, nullptr), kFine);
  const http::Headers all = {{"If-Match", "\"abc\""},
                             {"x-amz-if-match-size", "5"},
                             {"x-amz-if-match-last-modified-time", "1994-11-06T08:49:37.123Z"}};
  EXPECT_EQ(code(all, &meta), kFine);
  EXPECT_EQ(code(all, nullptr), S3Code::kNoSuchKey);
  for (size_t i = 0; i < all.size(); ++i) {
    http::Headers other = all;
    other[i].second = i == 0 ? "x" : i == 1 ? "4" : "Sun, 06 Nov 1994 08:49:38 GMT";
    EXPECT_EQ(code(other, &meta), S3Code::kPreconditionFailed) << other[i].first;
    EXPECT_EQ(code({all[i]}, &meta), kFine) << other[i].first;
  }
  EXPECT_EQ(code({{"x-amz-if-match-size", "-1"}}, &meta), S3Code::kInvalidArgument);
  EXPECT_EQ(code({{"x-amz-if-match-last-modified-time", "x"}}, &meta), S3Code::kInvalidArgument);
  EXPECT_EQ(code({{"If-Unmodified-Since", "x"}}, &meta), S3Code::kNotImplemented);
}

TEST(TimeText, RoundTrips) {
  const int64_t when = *s3::ParseCompactDate("20260131T140509Z");
  EXPECT_EQ(s3::CompactDate(when), "20260131T140509Z");
  EXPECT_EQ(s3::ParseHttpDate(s3::HttpDate(when)), when);
  EXPECT_EQ(s3::ParseHttpDate("Sat, 31 Jan 2026 14:05:09 +0000"), when);
  EXPECT_EQ(s3::ParseIsoDate("2026-01-31T14:05:09.000Z"), when);
  EXPECT_EQ(s3::ParseIsoDate("2026-01-31T14:05:09.123Z"), when + 123);
  EXPECT_EQ(s3::ParseIsoDate("2026-01-31T14:05:09Z"), when);
  for (const char* text : {"", "Sat, 31 Foo 2026 14:05:09 GMT", "Sat, 31 Jan 2026 14:05:09 CET",
                           "Sat, 31 Jan 2026 25:05:09 GMT", "20260131T140509", "2026"}) {
    EXPECT_FALSE(s3::ParseHttpDate(text) || s3::ParseCompactDate(text)) << text;
  }
}

}  // namespace
}  // namespace muster::objects
