#include "cli/verbs.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/help.h"
#include "cli/testing/capture_screen.h"

namespace muster::cli {
namespace {

using testing::HasSubstr;

TEST(VerbsTest, NamesAndAliasesAreUnique) {
  std::set<std::string> seen;
  for (const Verb& verb : Verbs()) {
    EXPECT_TRUE(seen.insert(verb.name).second) << verb.name;
    for (const char* alias : verb.aliases) EXPECT_TRUE(seen.insert(alias).second) << alias;
  }
}

TEST(VerbsTest, StableNamesExist) {
  for (const char* name : {"run",    "ps",     "logs",   "describe", "why", "wait",   "stop",
                           "rerun",  "plan",   "nodes",  "events",   "rm",  "doctor", "completion",
                           "server", "submit", "launch", "queue",    "ls",  "cancel", "kill"})
    EXPECT_TRUE(FindVerb(name)) << name;
  EXPECT_EQ(FindVerb("nonsense"), nullptr);
}

TEST(VerbsTest, FlagsOfAVerbAreUniqueAndDescribed) {
  for (const Verb& verb : Verbs()) {
    std::set<std::string> names;
    std::set<char> letters;
    for (const Flag& flag : AllFlags(verb)) {
      EXPECT_TRUE(names.insert(flag.name).second) << verb.name << " --" << flag.name;
      if (flag.letter) {
        EXPECT_TRUE(letters.insert(flag.letter).second) << verb.name << " -" << flag.letter;
      }
      EXPECT_NE(std::string(flag.help), "") << verb.name << " --" << flag.name;
    }
    for (const char* common : {"server", "data", "json", "help"})
      EXPECT_TRUE(names.contains(common));
  }
}

TEST(VerbsTest, EveryVerbHasHelpWithValidExamples) {
  CaptureScreen screen;
  for (const Verb& verb : Verbs()) {
    EXPECT_FALSE(verb.examples.empty()) << verb.name;
    const std::string help = HelpText(screen, verb);
    EXPECT_THAT(help, HasSubstr(verb.summary));
    for (const Example& example : verb.examples) {
      EXPECT_THAT(help, HasSubstr(example.command));
      if (NeedsShell(example.command)) continue;
      auto words = ShellSplit(example.command).value();
      ASSERT_GE(words.size(), 2u);
      ASSERT_EQ(words[0], "muster");
      if (words[1].starts_with("--")) continue;
      ASSERT_TRUE(FindVerb(words[1])) << example.command;
      words.erase(words.begin(), words.begin() + 2);
      const auto args = ParseFlags(AllFlags(verb), words);
      EXPECT_TRUE(args) << example.command << ": " << args.error().text;
    }
  }
}

TEST(VerbsTest, OverviewListsEveryVerb) {
  CaptureScreen screen;
  const std::string overview = OverviewText(screen);
  for (const Verb& verb : Verbs()) EXPECT_THAT(overview, HasSubstr(verb.name));
}

}  // namespace
}  // namespace muster::cli
