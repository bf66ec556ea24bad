#include "base/json.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/crc32c.h"

namespace muster {
namespace {

using testing::HasSubstr;

TEST(ParseJsonTest, ErrorHasLineAndColumn) {
  const auto result = ParseJson("{\n  \"a\": x}");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kInvalid);
  EXPECT_THAT(result.error().text, HasSubstr("line 2, column 8"));
}

TEST(ParseJsonTest, AcceptsExactlyOneValue) {
  EXPECT_TRUE(ParseJson(" [1, 2] \n"));
  for (const char* bad : {"", " ", "{", "[1] 2", "{} x", "nul", "[1,]", "{\"a\":\"\xFF\"}"}) {
    EXPECT_FALSE(ParseJson(bad)) << bad;
  }
}

TEST(ParseJsonTest, RejectsNumbersAboveTheRangeOfDouble) {
  EXPECT_EQ(ParseJson("{\"a\":[1e999]}").error().code, Code::kInvalid);
  EXPECT_TRUE(ParseJson("[1e308,-1e308,1e-999]"));
}

TEST(ParseJsonTest, RejectsDeepNesting) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_FALSE(ParseJson(deep));
  const std::string fine = std::string(60, '[') + std::string(60, ']');
  EXPECT_TRUE(ParseJson(fine));
}

TEST(ToJsonTest, OutputIsParsedBackUnchanged) {
  const json::value value = {{"s", "tab\t\"q\" 训练 \x01"},
                             {"i", -3},
                             {"d", 3.0},
                             {"n", nullptr},
                             {"u", std::numeric_limits<uint64_t>::max()},
                             {"a", {1, true, "x"}}};
  const auto back = ParseJson(ToJson(value));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(*back, value);
  EXPECT_EQ(*ParseJson(ToPrettyJson(value)), value);
  EXPECT_TRUE(back->at("d").is_double());
}

TEST(ToJsonTest, NumbersHaveNoExponent) {
  EXPECT_EQ(ToJson(json::array{0.25, 3.0, 1e300, std::nan(""), -INFINITY}),
            "[0.25,3.0,1e+300,null,null]");
}

TEST(ToJsonTest, InvalidUtf8IsReplaced) {
  EXPECT_EQ(ToJson(json::value("a\xFF")), "\"a\xEF\xBF\xBD\"");
}

TEST(ToPrettyJsonTest, IndentsByTwoAndEndsWithNewline) {
  EXPECT_EQ(ToPrettyJson({{"a", {1, 2}}, {"b", json::array{}}}),
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": []\n}\n");
}

TEST(GetTest, FallbackForMissingMembersAndOtherTypes) {
  const json::value value = {{"s", "x"}, {"i", 5}, {"d", 1.5}, {"b", true}, {"o", {{"k", 1}}}};
  const json::object& object = value.get_object();
  EXPECT_EQ(GetString(object, "s"), "x");
  EXPECT_EQ(GetString(object, "i", "none"), "none");
  EXPECT_EQ(GetInt(object, "i"), 5);
  EXPECT_EQ(GetInt(object, "d", -1), -1);
  EXPECT_EQ(GetDouble(object, "i"), 5.0);
  EXPECT_TRUE(GetBool(object, "b"));
  EXPECT_FALSE(GetBool(object, "missing"));
  EXPECT_NE(GetObject(object, "o"), nullptr);
  EXPECT_EQ(GetArray(object, "o"), nullptr);
}

TEST(Crc32cTest, MatchesThePublishedCheckValueInOneAndSeveralPieces) {
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(Crc32c("6789", Crc32c("12345")), 0xE3069283u);
  const std::string zeros(32, '\0'), long_text(1000, 'x');
  EXPECT_EQ(Crc32c(zeros), 0x8A9136AAu);
  for (size_t cut : {0u, 1u, 7u, 8u, 9u, 999u}) {
    EXPECT_EQ(Crc32c(long_text.substr(cut), Crc32c(long_text.substr(0, cut))), Crc32c(long_text));
  }
}

// Long texts are processed in parallel ranges, short ones and single bytes are not.
TEST(Crc32cTest, LongTextEqualsByteByByteResult) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += static_cast<char>(i * 37 + i / 11);
  for (const size_t size : {3071u, 3072u, 3073u, 6144u, 6151u, 20'000u}) {
    uint32_t by_bytes = 0x1234;
    for (size_t i = 0; i < size; ++i) by_bytes = Crc32c({&text[i], 1}, by_bytes);
    EXPECT_EQ(Crc32c(std::string_view(text).substr(0, size), 0x1234), by_bytes) << size;
  }
}

TEST(FailErrnoTest, ErrnoIsMappedToACodeAndKept) {
  const Error error = FailErrno(ENOENT, "open /x").error();
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_EQ(error.sys, ENOENT);
  EXPECT_EQ(error.text, "cannot open /x: no such file or directory");
}

}  // namespace
}  // namespace muster
