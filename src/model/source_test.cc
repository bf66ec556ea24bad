#include "model/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/spec_reader.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

TEST(SourceTest, BucketsAndUrlsAreRemote) {
  for (std::string_view place : {"s3://b", "obs://bkt/x", "http://h/x", "https://h/x"})
    EXPECT_TRUE(IsFar(place)) << place;
  for (std::string_view place : {"/s3://b", "file:///x", "s3:/x", "S3://b", ""})
    EXPECT_FALSE(IsFar(place)) << place;
}

TEST(SourceTest, NameOnANodeIsTheLastComponent) {
  EXPECT_EQ(FarName("s3://bucket/set/cifar-10"), "cifar-10");
  EXPECT_EQ(FarName("https://host/a/weights.ckpt?sig=a/b#c"), "weights.ckpt");
  for (std::string_view folder :
       {"s3://bucket", "s3://bucket/", "s3://bucket/set/", "s3://bucket/..", "s3://bucket/a/.",
        "https://host/", "https://host"})
    EXPECT_EQ(FarName(folder), "") << folder;
  EXPECT_EQ(FarName("s3://bucket/" + std::string(256, 'x')), "");
}

TEST(SourceTest, ShortAndLongFormAreRead) {
  const auto document = ReadDocument(
      "run: x\ninputs: {a: s3://bkt/x, b: {from: obs://bkt/y, mode: url}, c: {from: /near}}\n",
      TextFormat::kGuess, nullptr);
  ASSERT_TRUE(document);
  const auto specs = ReadSpecs(document->get_object(), {});
  ASSERT_TRUE(specs);
  const JobSpec& spec = specs->front();
  EXPECT_EQ(spec.inputs, (Pairs{{"a", "s3://bkt/x"}, {"c", "/near"}}));
  EXPECT_EQ(spec.roles[0].parameters, (Pairs{{"b", "obs://bkt/y"}}));
  EXPECT_TRUE(spec.IsFetched(spec.inputs[0]));
  EXPECT_FALSE(spec.IsFetched(spec.inputs[1]));
  const auto again = ReadSpecs(ToJsonObject(spec), {});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->front(), spec);
}

TEST(SourceTest, AllFaultsAreReportedTogether) {
  const auto document = ReadDocument(
      "run: x\ninputs:\n  a: s3://\n  b: ftp://h/x\n  c: {mode: url}\n  d: {from: s3://bkt, mod: "
      "url}\n"
      "  e: {from: s3://bkt, mode: link}\n  f: https://me@host/x\n  g: https://host/\n  h: "
      "s3://x\n",
      TextFormat::kGuess, nullptr);
  ASSERT_TRUE(document);
  const auto specs = ReadSpecs(document->get_object(), {});
  ASSERT_FALSE(specs);
  std::vector<std::string> paths;
  for (const Fault& fault : specs.error()) paths.push_back(fault.path);
  EXPECT_THAT(paths,
              ::testing::UnorderedElementsAre("inputs.a", "inputs.b", "inputs.c", "inputs.d.mod",
                                              "inputs.e.mode", "inputs.f", "inputs.g", "inputs.h"));
  EXPECT_THAT(FaultText(specs.error(), "job.yaml"), HasSubstr("did you mean \"mode\"?"));
}

}  // namespace
}  // namespace muster
