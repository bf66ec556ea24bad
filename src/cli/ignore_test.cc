#include "cli/ignore.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

using Answer = IgnoreRules::Answer;

// Whether `rules` ignore `path`; a trailing "/" makes the path a folder.
bool Ignored(std::string_view rules, std::string_view path) {
  const bool is_folder = path.ends_with('/');
  if (is_folder) path.remove_suffix(1);
  return IgnoreRules::Parse(rules).Match(path, is_folder) == Answer::kIgnored;
}

TEST(IgnoreTest, NameMatchesAtEveryDepth) {
  EXPECT_TRUE(Ignored("data", "data"));
  EXPECT_TRUE(Ignored("data", "a/b/data"));
  EXPECT_TRUE(Ignored("data", "data/"));
  EXPECT_FALSE(Ignored("data", "database"));
  EXPECT_FALSE(Ignored("data", "data/x"));  // the rule ignores its folder
}

TEST(IgnoreTest, LeadingOrInnerSlashAnchorsThePattern) {
  EXPECT_TRUE(Ignored("/data", "data"));
  EXPECT_FALSE(Ignored("/data", "a/data"));
  EXPECT_TRUE(Ignored("a/data", "a/data"));
  EXPECT_FALSE(Ignored("a/data", "b/a/data"));
}

TEST(IgnoreTest, TrailingSlashMatchesFoldersOnly) {
  EXPECT_TRUE(Ignored("runs/", "runs/"));
  EXPECT_TRUE(Ignored("runs/", "a/runs/"));
  EXPECT_FALSE(Ignored("runs/", "runs"));
}

TEST(IgnoreTest, WildcardsDoNotMatchSlashes) {
  EXPECT_TRUE(Ignored("*.pyc", "a/b.pyc"));
  EXPECT_TRUE(Ignored("/*.pyc", "b.pyc"));
  EXPECT_FALSE(Ignored("/*.pyc", "a/b.pyc"));
  EXPECT_TRUE(Ignored("a/*/c", "a/b/c"));
  EXPECT_FALSE(Ignored("a/*/c", "a/b/b/c"));
  EXPECT_TRUE(Ignored("log?", "log1"));
  EXPECT_FALSE(Ignored("a?b", "a/b"));
  EXPECT_TRUE(Ignored("*", "anything"));
}

TEST(IgnoreTest, TwoStarsMatchAcrossFolders) {
  EXPECT_TRUE(Ignored("**/cache", "cache"));
  EXPECT_TRUE(Ignored("**/cache", "a/b/cache"));
  EXPECT_TRUE(Ignored("a/**/z", "a/z"));
  EXPECT_TRUE(Ignored("a/**/z", "a/b/c/z"));
  EXPECT_FALSE(Ignored("a/**/z", "a/bz"));
  EXPECT_FALSE(Ignored("a/**/z", "ab/z"));
  EXPECT_TRUE(Ignored("out/**", "out/x/y"));
  EXPECT_FALSE(Ignored("out/**", "out/"));
  EXPECT_TRUE(Ignored("a/x**y", "a/xabcy"));
  EXPECT_FALSE(Ignored("a/x**y", "a/xb/cy"));
}

TEST(IgnoreTest, ClassesSupportRangesNamesAndNegation) {
  EXPECT_TRUE(Ignored("run[0-9]", "run7"));
  EXPECT_FALSE(Ignored("run[0-9]", "runx"));
  EXPECT_TRUE(Ignored("run[!0-9]", "runx"));
  EXPECT_TRUE(Ignored("run[^0-9]", "runx"));
  EXPECT_TRUE(Ignored("x[]-]", "x]"));
  EXPECT_TRUE(Ignored("x[]-]", "x-"));
  EXPECT_TRUE(Ignored("x[[:digit:]_]", "x_"));
  EXPECT_TRUE(Ignored("x[\\]]", "x]"));
  EXPECT_FALSE(Ignored("a[!x]b", "a/b"));
  EXPECT_FALSE(Ignored("x[0-9", "x[0-9"));  // an open bracket matches nothing
}

TEST(IgnoreTest, LastMatchingRuleDecides) {
  const auto rules = IgnoreRules::Parse("*.log\n!keep.log\nkeep.log/\n");
  EXPECT_EQ(rules.Match("a.log", false), Answer::kIgnored);
  EXPECT_EQ(rules.Match("x/keep.log", false), Answer::kKept);
  EXPECT_EQ(rules.Match("keep.log", true), Answer::kIgnored);
  EXPECT_EQ(rules.Match("train.py", false), Answer::kNone);
}

TEST(IgnoreTest, CommentsBlanksAndEscapesFollowGit) {
  EXPECT_TRUE(IgnoreRules::Parse("\n# data\n   \n!\n/\n").empty());
  EXPECT_TRUE(Ignored("\\#x", "#x"));
  EXPECT_TRUE(Ignored("\\!x", "!x"));
  EXPECT_TRUE(Ignored("x   ", "x"));
  EXPECT_TRUE(Ignored("x\\ ", "x "));
  EXPECT_TRUE(Ignored("a\\*b", "a*b"));
  EXPECT_FALSE(Ignored("a\\*b", "aXb"));
  EXPECT_TRUE(Ignored("data\r\nruns\r\n", "data"));
  EXPECT_TRUE(
      Ignored("\xef\xbb\xbf"
              "data",
              "data"));
  EXPECT_TRUE(Ignored("数据*", "数据集"));
}

TEST(IgnoreTest, HostilePatternIsMatchedQuickly) {
  std::string pattern, path(4000, 'a');
  for (int i = 0; i < 200; ++i) pattern += "*a";
  EXPECT_FALSE(Ignored(pattern + "b", path));
  EXPECT_TRUE(Ignored(pattern, path));
}

}  // namespace
}  // namespace muster::cli
