#include "transfer/filter.h"

#include <gmock/gmock.h>

namespace muster::transfer {
namespace {

TEST(Matches, ShellPatterns) {
  EXPECT_TRUE(Matches("*", ""));
  EXPECT_TRUE(Matches("*.txt", "a/b.txt"));
  EXPECT_TRUE(Matches("a?c", "abc"));
  EXPECT_TRUE(Matches("[a-c]x[!0-9]", "bxz"));
  EXPECT_FALSE(Matches("[a-c]x[!0-9]", "bx3"));
  EXPECT_FALSE(Matches("a?c", "ac"));
  EXPECT_FALSE(Matches("*.txt", "a.txt.gz"));
  EXPECT_TRUE(Matches("[", "["));
  EXPECT_TRUE(Matches("a[b", "a[b"));
  EXPECT_TRUE(Matches("[]]", "]"));
}

TEST(Matches, ManyStarsTakeLittleTime) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  EXPECT_FALSE(Matches(pattern + "b", std::string(2'000, 'a')));
}

TEST(Filter, NoRulesIncludeEverything) { EXPECT_TRUE(Filter().Takes("x")); }

TEST(Filter, FirstIncludeExcludesTheRest) {
  const Filter filter{{{true, "*.jpg"}}};
  EXPECT_TRUE(filter.Takes("a/b.jpg"));
  EXPECT_FALSE(filter.Takes("a/b.txt"));
}

TEST(Filter, LastMatchingRuleDecides) {
  const Filter filter{{{false, "tmp/*"}, {true, "*.keep"}}};
  EXPECT_TRUE(filter.Takes("a"));
  EXPECT_FALSE(filter.Takes("tmp/a"));
  EXPECT_TRUE(filter.Takes("tmp/a.keep"));
}

TEST(Filter, PatternWithoutSlashMatchesTheLastComponent) {
  const Filter filter{{{false, ".git*"}}};
  EXPECT_FALSE(filter.Takes("a/.gitignore"));
  EXPECT_TRUE(filter.Takes("a/b.git"));
}

}  // namespace
}  // namespace muster::transfer
