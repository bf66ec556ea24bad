#include "cli/flags.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

constexpr Flag kTable[] = {{"nodes", 'N', "COUNT", ""},          {"devices", 'g', "KIND:COUNT", ""},
                           {"env", 'e', "NAME=VALUE", "", true}, {"detach", 'd', nullptr, ""},
                           {"quiet", 'q', nullptr, ""},          {"priority", 0, "NUMBER", ""}};

Result<Args> Parse(std::vector<std::string> arguments) { return ParseFlags(kTable, arguments); }

TEST(FlagsTest, ReadsEveryFormOfAValue) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"--nodes", "2"}, {"--nodes=2"}, {"-N", "2"}, {"-N2"}, {"-N=2"}}) {
    const auto args = Parse(arguments);
    ASSERT_TRUE(args) << args.error().text;
    EXPECT_EQ(args->Get("nodes"), "2");
  }
}

TEST(FlagsTest, ReadsCombinedSwitchesWithAFinalValue) {
  const auto args = Parse({"-dqN2", "-g", "npu:8"});
  ASSERT_TRUE(args);
  EXPECT_TRUE(args->Has("detach"));
  EXPECT_TRUE(args->Has("quiet"));
  EXPECT_EQ(args->Get("nodes"), "2");
  EXPECT_EQ(args->Get("devices"), "npu:8");
}

TEST(FlagsTest, KeepsAllRepeatedValuesAndTheLastOfOthers) {
  const auto args = Parse({"-e", "A=1", "--env=B=2", "-N", "1", "-N", "3"});
  ASSERT_TRUE(args);
  EXPECT_EQ(args->All("env"), (std::vector<std::string>{"A=1", "B=2"}));
  EXPECT_EQ(args->Get("nodes"), "3");
}

TEST(FlagsTest, WordsAndFlagsMayBeMixedBeforeTwoDashes) {
  const auto args = Parse({"job.yaml", "-d", "-", "--", "python", "-d", "--nodes"});
  ASSERT_TRUE(args);
  EXPECT_EQ(args->words, (std::vector<std::string>{"job.yaml", "-"}));
  EXPECT_TRUE(args->has_rest);
  EXPECT_EQ(args->rest, (std::vector<std::string>{"python", "-d", "--nodes"}));
}

TEST(FlagsTest, AcceptsNegativeNumbersAndEmptyValues) {
  const auto args = Parse({"--priority", "-5", "--devices="});
  ASSERT_TRUE(args);
  EXPECT_EQ(args->Get("priority"), "-5");
  EXPECT_TRUE(args->Has("devices"));
  EXPECT_EQ(args->Get("devices", "none"), "");
}

TEST(FlagsTest, ErrorSuggestsASimilarFlag) {
  const auto args = Parse({"--node=2"});
  ASSERT_FALSE(args);
  EXPECT_EQ(args.error().code, Code::kInvalid);
  EXPECT_EQ(args.error().text, "unknown flag --node");
  EXPECT_EQ(args.error().next, "did you mean --nodes?");
  EXPECT_EQ(Parse({"-nodes"}).error().next, "did you mean --nodes?");
  EXPECT_EQ(Parse({"-dx"}).error().text, "unknown flag -x");
}

TEST(FlagsTest, MissingAndSurplusValuesAreRejected) {
  EXPECT_EQ(Parse({"--nodes"}).error().text, "--nodes needs COUNT, found nothing");
  EXPECT_EQ(Parse({"-N", "--"}).error().text, "-N needs COUNT, found --");
  EXPECT_EQ(Parse({"--nodes", "--env", "A=1"}).error().text, "--nodes needs COUNT, found --env");
  EXPECT_EQ(Parse({"--detach=yes"}).error().text, "--detach takes no value, found yes");
}

TEST(FlagsTest, ErrorsContainNoControlCharacters) {
  const auto args = Parse({"--\x1b[31mred"});
  ASSERT_FALSE(args);
  EXPECT_EQ(args.error().text.find('\x1b'), std::string::npos);
}

TEST(FlagsTest, IntEnforcesItsRange) {
  const auto args = Parse({"-N", "12", "--priority", "1e3", "--devices", "99999999999999999999"});
  ASSERT_TRUE(args);
  EXPECT_EQ(args->Int("nodes", 1, 100).value(), 12);
  EXPECT_FALSE(args->Int("nodes", 1, 10));
  EXPECT_FALSE(args->Int("priority", 0, 10'000));
  EXPECT_FALSE(args->Int("devices", 0, std::numeric_limits<int64_t>::max()));
  EXPECT_EQ(args->Int("quiet", 0, 1).value(), std::nullopt);
}

}  // namespace
}  // namespace muster::cli
