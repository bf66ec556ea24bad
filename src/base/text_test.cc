#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Code CodeOf(const auto& result) { return result ? Code::kInternal : result.error().code; }

TEST(SplitTest, EmptyPartsAreKeptSoThatJoinRestoresTheText) {
  EXPECT_THAT(Split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(Split("", ','), ElementsAre(""));
  EXPECT_EQ(Join(Split("a,,b,", ','), ","), "a,,b,");
}

TEST(TrimTest, RemovesBlanksAtBothEndsOnly) {
  EXPECT_EQ(Trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(Trim(" \n "), "");
}

TEST(WordTest, IgnoresTheCaseOfAsciiLetters) {
  EXPECT_TRUE(SameWord("X-Amz-Date", "x-amz-DATE"));
  EXPECT_TRUE(SameWord("", ""));
  EXPECT_FALSE(SameWord("Date", "Dates"));
  EXPECT_FALSE(SameWord("[", "{"));  // differ by the same bit as upper and lower case
  EXPECT_FALSE(SameWord("\u00c4", "\u00e4"));
  EXPECT_TRUE(BeginsWithWord("X-OBS-Acl", "x-obs-"));
  EXPECT_FALSE(BeginsWithWord("x-ob", "x-obs-"));
}

TEST(NumberTest, ParsesTheWholeTextOrNothing) {
  EXPECT_EQ(ParseInt("-42"), -42);
  EXPECT_EQ(ParseInt("9223372036854775807"), INT64_MAX);
  for (const char* bad : {"", " 1", "1 ", "+1", "1.0", "0x10", "9223372036854775808"}) {
    EXPECT_EQ(ParseInt(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(ParseDouble("2.5e-1"), 0.25);
  for (const char* bad : {"", "1,5", "1e999", "nan", "inf", " 1", "1f"}) {
    EXPECT_EQ(ParseDouble(bad), std::nullopt) << bad;
  }
}

TEST(Utf8Test, RejectsOverlongFormsSurrogatesAndTruncatedCharacters) {
  EXPECT_TRUE(IsUtf8("plain, 训练, \xF0\x9F\x9A\x80"));
  for (const char* bad : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                          "\xE8\xAE", "\x80", "\xFF"}) {
    EXPECT_FALSE(IsUtf8(bad)) << bad;
  }
}

TEST(Utf8Test, EachInvalidSequenceIsReplacedOnce) {
  EXPECT_EQ(CleanUtf8("a\xE8\xAEz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(CleanUtf8("\xFF\xFE"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(CleanUtf8("训练"), "训练");
}

TEST(PrintableTest, RemovesWholeEscapeSequences) {
  EXPECT_EQ(Printable("\x1B[1;31mred\x1B[0m"), "red");
  EXPECT_EQ(Printable("a\x1B]0;title\ab"), "ab");
  EXPECT_EQ(Printable("a\x1B]8;;http://x\x1B\\b"), "ab");
  EXPECT_EQ(Printable("a\x1B(Bb\x1B=c\x1B"), "abc");
}

TEST(PrintableTest, OpenSequenceDoesNotHideText) {
  EXPECT_EQ(Printable("a\x1B]rest"), "arest");
  EXPECT_EQ(Printable("a\x1B[12"), "a");
}

TEST(PrintableTest, KeepsTabsAndRemovesOtherControls) {
  EXPECT_EQ(Printable(std::string_view("a\tb\0c\r\x7F", 7)), "a\tbc");
  EXPECT_EQ(Printable("two\nlines"), "two lines");
  EXPECT_EQ(Printable("\xC2\x9Bx \xE2\x80\xAEy"), "x y");
}

TEST(DisplayWidthTest, CountsColumnsNotBytes) {
  EXPECT_EQ(DisplayWidth("abc"), 3);
  EXPECT_EQ(DisplayWidth("训练"), 4);
  EXPECT_EQ(DisplayWidth("e\xCC\x81"), 1);
  EXPECT_EQ(DisplayWidth("\xF0\x9F\x9A\x80"), 2);
  EXPECT_EQ(DisplayWidth("é✓…"), 3);
}

TEST(DurationTest, AcceptsEveryDocumentedForm) {
  const std::pair<const char*, int64_t> cases[] = {{"90", 90'000},
                                                   {"90s", 90'000},
                                                   {"15m", 900'000},
                                                   {"2h", 7'200'000},
                                                   {"1d12h", 129'600'000},
                                                   {"01:30:00", 5'400'000},
                                                   {"250ms", 250},
                                                   {"1.5h", 5'400'000},
                                                   {"0", 0},
                                                   {"36500d", 3153600000000},
                                                   {"2H", 7'200'000}};
  for (const auto& [text, ms] : cases) EXPECT_EQ(ParseDuration(text), ms) << text;
}

TEST(DurationTest, RejectsOtherForms) {
  for (const char* bad :
       {"", " 5", "-5", "5x", "s", "1h1h", "5s1m", "1h5", "1:30", "1:60:00", "1::2", "1e3", "1.",
        ".5", "99999999999d", "99999999999999999999:00:00", "5 m"}) {
    EXPECT_EQ(CodeOf(ParseDuration(bad)), Code::kInvalid) << bad;
  }
  EXPECT_THAT(ParseDuration("5x").error().text, testing::HasSubstr("\"5x\""));
}

TEST(SizeTest, AcceptsDecimalAndBinaryUnits) {
  const std::pair<const char*, int64_t> cases[] = {
      {"512", 512},      {"64KiB", 65536},  {"64k", 65536}, {"1.5GB", 1'500'000'000},
      {"4G", 4LL << 30}, {"12 KiB", 12288}, {"7 B", 7},     {"1KB", 1000}};
  for (const auto& [text, bytes] : cases) EXPECT_EQ(ParseSize(text), bytes) << text;
  for (const char* bad : {"", "G", "-1", "1X", "1  G", "1G ", "9999999P", "0x10"}) {
    EXPECT_EQ(CodeOf(ParseSize(bad)), Code::kInvalid) << bad;
  }
}

TEST(HumanTest, TimesAndSizesAreShort) {
  EXPECT_EQ(HumanDuration(180), "180ms");
  EXPECT_EQ(HumanDuration(4'260), "4.2s");
  EXPECT_EQ(HumanDuration(185'000), "3m 05s");
  EXPECT_EQ(HumanDuration(3'720'000), "1h 02m");
  EXPECT_EQ(HumanDuration(90 * 3'600'000LL), "3d 18h");
  EXPECT_EQ(HumanDuration(-180), "-180ms");
  EXPECT_EQ(HumanSize(7), "7 B");
  EXPECT_EQ(HumanSize(12 << 10), "12 KiB");
  EXPECT_EQ(HumanSize(3LL << 29), "1.5 GiB");
  EXPECT_EQ(HumanSize(INT64_MAX), "7.9 EiB");
  EXPECT_EQ(HumanSize(INT64_MIN), "-7.9 EiB");
}

TEST(TimeTest, FormatsAnyInstant) {
  EXPECT_EQ(IsoTime(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(IsoTime(1'769'868'309'123), "2026-01-31T14:05:09.123Z");
  EXPECT_EQ(IsoTime(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(IsoTime(INT64_MAX), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(WallTime(1'769'868'309'123).size(), std::string("2026-01-31 14:05:09").size());
}

TEST(DidYouMeanTest, FindsTypingErrorsOnly) {
  constexpr std::string_view kVerbs[] = {"describe", "doctor", "logs", "ps", "run", "stop"};
  EXPECT_EQ(DidYouMean("lgos", kVerbs), "logs");
  EXPECT_EQ(DidYouMean("descrbe", kVerbs), "describe");
  EXPECT_EQ(DidYouMean("RUN", kVerbs), "run");
  EXPECT_EQ(DidYouMean("xyz", kVerbs), "");
  EXPECT_EQ(DidYouMean("", kVerbs), "");
  EXPECT_EQ(DidYouMean(std::string(100'000, 'x'), kVerbs), "");
}

TEST(ShellSplitTest, FollowsTheQuotingRules) {
  EXPECT_THAT(*ShellSplit("python train.py --lr 0.1"),
              ElementsAre("python", "train.py", "--lr", "0.1"));
  EXPECT_THAT(*ShellSplit(R"(a 'b c' "d \" \n" e\ f '' g"h"'i')"),
              ElementsAre("a", "b c", "d \" \\n", "e f", "", "ghi"));
  EXPECT_THAT(*ShellSplit("a \\\n b"), ElementsAre("a", "b"));
  EXPECT_THAT(*ShellSplit(" \n"), IsEmpty());
}

TEST(ShellSplitTest, RejectsOpenQuotes) {
  EXPECT_EQ(CodeOf(ShellSplit("a 'b")), Code::kInvalid);
  EXPECT_EQ(CodeOf(ShellSplit("a \"b")), Code::kInvalid);
  EXPECT_EQ(CodeOf(ShellSplit("a \\")), Code::kInvalid);
  EXPECT_EQ(CodeOf(ShellSplit(std::string_view("a\0b", 3))), Code::kInvalid);
}

TEST(NeedsShellTest, DetectsShellSyntax) {
  for (const char* text : {"a | b", "a && b", "a; b", "a > f", "echo $X", "echo \"$X\"", "echo `x`",
                           "ls *.py", "X=1 a", "cd ~/x", "a\nb", "(a)", "! a", "{ a", "a # b"}) {
    EXPECT_TRUE(NeedsShell(text)) << text;
  }
  for (const char* text : {"python a.py --x=1", "a 'b | c'", "a \\$X", "a '$X'", "a \"b;c\"",
                           "a --re 'x*'", "run\n", "a b~ c#d", "", "'X'=1 a"}) {
    EXPECT_FALSE(NeedsShell(text)) << text;
  }
}

TEST(ShellQuoteTest, EveryWordRoundTrips) {
  const std::vector<std::string> words = {"A=b",  "",   "it's", "a b", "$X",
                                          "x\ny", "\"", "\\",   "训练"};
  EXPECT_THAT(*ShellSplit(ShellJoin(words)), testing::ElementsAreArray(words));
  EXPECT_FALSE(NeedsShell(ShellJoin(words)));
  EXPECT_EQ(ShellQuote("train.py"), "train.py");
  EXPECT_EQ(ShellQuote("a b"), "'a b'");
}

}  // namespace
}  // namespace muster
