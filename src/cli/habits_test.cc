#include "cli/habits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/verbs.h"

namespace muster::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(Habits, VerbsOfOtherSystemsNameOurs) {
  EXPECT_THAT(HintForVerb("status"), HasSubstr("muster describe"));
  EXPECT_THAT(HintForVerb("delete"), HasSubstr("muster stop"));
  EXPECT_THAT(HintForVerb("squeue"), HasSubstr("muster ps"));
  EXPECT_THAT(HintForVerb("frobnicate"), IsEmpty());
  for (const char* verb : {"status", "delete", "get", "apply"})
    EXPECT_EQ(FindVerb(verb), nullptr) << verb << " is a verb and needs no hint";
}

TEST(Habits, FlagsOfOtherSystemsNameOursWhereTheVerbHasThem) {
  const auto run = AllFlags(RunVerb());
  EXPECT_THAT(HintForFlag("gpus", run), HasSubstr("-g gpu:COUNT"));
  EXPECT_THAT(HintForFlag("mem", run), HasSubstr("--memory"));
  EXPECT_THAT(HintForFlag("n", run), HasSubstr("--ranks"));
  EXPECT_THAT(HintForFlag("gpus", AllFlags(PsVerb())), IsEmpty());
}

TEST(Habits, ParsingOffersThem) {
  const auto run = AllFlags(RunVerb());
  const std::vector<std::vector<std::string>> cases{
      {"--gpus", "8"}, {"--gpus=8"}, {"--mem=4G"}, {"-n", "4"}, {"-n4"}};
  for (const auto& words : cases) {
    const auto args = ParseFlags(run, words);
    ASSERT_FALSE(args) << words[0];
    EXPECT_THAT(args.error().next, HasSubstr("write -")) << words[0];
  }
}

}  // namespace
}  // namespace muster::cli
