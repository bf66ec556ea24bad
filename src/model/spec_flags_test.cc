#include "model/spec_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

json::value Document(std::string_view text, Marks* marks = nullptr) {
  auto document = ReadDocument(text, TextFormat::kGuess, marks);
  EXPECT_TRUE(document) << text;
  return document ? *document : nullptr;
}

std::vector<JobSpec> Specs(const json::value& document) {
  auto specs = ReadSpecs(document, {});
  if (specs) return *specs;
  ADD_FAILURE() << FaultText(specs.error(), "");
  return {};
}

TEST(SpecFlagsTest, FlagsAndFileAreEquivalent) {
  FlagValues flags;
  flags.name = "exp";
  flags.framework = "pytorch";
  flags.code = "./src";
  flags.python = "python3.11";
  flags.workdir = "rank";
  flags.nodes = "2";
  flags.devices = "npu:8";
  flags.ranks = "4";
  flags.memory = "16G";
  flags.priority = "-3";
  flags.retries = "2";
  flags.time = "2h";
  flags.grace = "30s";
  flags.preemptible = true;
  flags.after = {"3", "4:ended"};
  flags.command = {"python", "train.py", "--x=${lr}"};
  flags.env = {{"A", "1"}, {"B", ""}};
  flags.parameters = {{"n", "3"}};
  flags.inputs = {{"data", "/data"}};
  flags.outputs = {{"out", "/out"}, {"own", ""}};
  flags.labels = {{"team", "vision"}};
  flags.sweep = {{"lr", "0.1,0.2"}};
  const auto file = Document(R"(
name: exp
framework: pytorch
code: ./src
python: python3.11
workdir: rank
resources: {nodes: 2, devices: npu:8, ranks: 4, memory: 16G}
priority: -3
retries: 2
limits: {time: 2h}
stop: {grace: 30s}
preemptible: true
after: [3, {job: 4, when: ended}]
run: [python, train.py, "--x=${lr}"]
env: {A: 1, B: ""}
parameters: {n: 3}
inputs: {data: /data}
outputs: {out: /out, own:}
labels: {team: vision}
sweep: {lr: [0.1, 0.2]}
)");
  EXPECT_EQ(Specs(DocumentFromFlags(flags)), Specs(file));
}

TEST(SpecFlagsTest, PlatformCanBeSetByAFlag) {
  FlagValues flags;
  flags.platform = "apulis";
  flags.command = {"train.py"};
  EXPECT_EQ(Specs(DocumentFromFlags(flags)).at(0).platform, "apulis");
}

TEST(SpecFlagsTest, FlagsOverrideTheFile) {
  FlagValues flags;
  flags.base = Document(R"(
name: exp
run: train.py
resources: {nodes: 2, devices: gpu:4}
env: {A: file, B: file}
parameters: {x: 1, y: 2}
)")
                   .as_object();
  flags.nodes = "5";
  flags.env = {{"A", "flag"}, {"C", "flag"}};
  flags.parameters = {{"y", "3"}};
  flags.command = {"other.py"};
  const auto specs = Specs(DocumentFromFlags(flags));
  ASSERT_EQ(specs.size(), 1u);
  const Role& role = specs[0].roles[0];
  EXPECT_EQ(role.nodes, 5);
  EXPECT_EQ(role.devices.count, 4);
  EXPECT_EQ(role.run.text, "other.py");
  EXPECT_EQ(role.env, (Pairs{{"A", "flag"}, {"B", "file"}, {"C", "flag"}}));
  EXPECT_EQ(role.parameters, (Pairs{{"x", "1"}, {"y", "3"}}));
}

TEST(SpecFlagsTest, NoFlagsLeaveTheFileUnchanged) {
  FlagValues flags;
  flags.base = Document("run: x\nresources: 3\nunknown: 1\n").as_object();
  EXPECT_EQ(DocumentFromFlags(flags), *flags.base);
}

TEST(SpecFlagsTest, BadFlagsGetTheFaultsOfTheReader) {
  FlagValues flags;
  flags.nodes = "two";
  flags.devices = "8";
  flags.retries = "99999999999999999999";
  flags.sweep = {{"lr", ""}};
  flags.command = {"x"};
  const auto specs = ReadSpecs(DocumentFromFlags(flags), {});
  ASSERT_FALSE(specs);
  EXPECT_EQ(FaultText(specs.error(), ""),
            "resources.devices: found 8, expected KIND:COUNT such as npu:8 (say of which kind, "
            "as in gpu:8)\n"
            "resources.nodes: found \"two\", expected a whole number from 1 to 10000\n"
            "retries: found 99999999999999999999, expected a whole number from 0 to 100\n"
            "sweep.lr: found an empty list, expected at least one value\n");
}

TEST(SpecFlagsTest, FileWithoutAMapKeepsItsFault) {
  FlagValues flags;
  flags.base = Document("run: x\nresources: 3\n").as_object();
  flags.nodes = "2";
  const auto specs = ReadSpecs(DocumentFromFlags(flags), {});
  ASSERT_FALSE(specs);
  EXPECT_EQ(specs.error()[0].path, "resources");
}

TEST(SpecFlagsTest, PositionsOfReplacedValuesAreRemoved) {
  Marks marks;
  FlagValues flags;
  flags.base = Document("run: x\nresources: {nodes: 2}\nretries: 1\n", &marks).as_object();
  flags.retries = "-1";
  const auto specs = ReadSpecs(DocumentFromFlags(flags, &marks), marks);
  ASSERT_FALSE(specs);
  EXPECT_EQ(FaultText(specs.error(), "job.yaml").find("job.yaml:3"), std::string::npos);
}

TEST(SpecFlagsTest, PairsAreSplitAtTheFirstEqualsSign) {
  EXPECT_EQ(SplitPair("A=b=c", "-e"), (std::pair<std::string, std::string>("A", "b=c")));
  EXPECT_EQ(SplitPair("A=", "-e"), (std::pair<std::string, std::string>("A", "")));
  for (std::string_view text : {"A", "=b", ""}) {
    const auto pair = SplitPair(text, "--env");
    ASSERT_FALSE(pair) << text;
    EXPECT_EQ(pair.error().code, Code::kInvalid);
    EXPECT_NE(pair.error().text.find("--env"), std::string::npos);
  }
}

}  // namespace
}  // namespace muster
