#include "dialect/command.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "dialect/cases_for_test.h"

namespace muster::dialect {
namespace {

using testing::ElementsAre;

std::vector<std::string> Words(JobSpec spec) {
  const auto argv = BuildCommand(spec, spec.roles.front(), SomePlaces());
  return argv ? *argv : std::vector<std::string>{"error: " + argv.error().text};
}

JobSpec Running(std::string text) { return PlainSpec("custom", 1, "cpu", 1, std::move(text)); }

TEST(BuildCommand, BootFilesAreRunByTheirInterpreter) {
  EXPECT_THAT(Words(Running("train.py")), ElementsAre("python3", "train.py"));
  EXPECT_THAT(Words(Running("sub/train.sh")), ElementsAre("/bin/bash", "sub/train.sh"));
  EXPECT_THAT(Words(Running(" train.py --fast 'a b'\n")),
              ElementsAre("python3", "train.py", "--fast", "a b"));
  JobSpec spec = Running("train.py");
  spec.python = "/usr/bin/python3.11";
  EXPECT_THAT(Words(spec), ElementsAre("/usr/bin/python3.11", "train.py"));
}

TEST(BuildCommand, TextWithoutShellSyntaxIsSplit) {
  EXPECT_THAT(Words(Running("python3 -u train.py")), ElementsAre("python3", "-u", "train.py"));
}

TEST(BuildCommand, OtherTextIsPassedToAShellWithQuotedParameters) {
  JobSpec spec = Running("a && b > log");
  spec.roles[0].parameters = {{"name", "it's $HOME"}};
  EXPECT_THAT(Words(spec),
              ElementsAre("/bin/sh", "-c", "a && b > log " + ShellQuote("--name=it's $HOME")));
}

TEST(BuildCommand, ListIsExecutedWordByWord) {
  JobSpec spec = Running("");
  spec.roles[0].run.words = {"./train", "$HOME && x"};
  EXPECT_THAT(Words(spec), ElementsAre("./train", "$HOME && x"));
}

TEST(BuildCommand, ScriptInFrontOfAListIsStartedByItsInterpreter) {
  JobSpec spec = Running("");
  spec.python = "/opt/venv/bin/python";
  spec.roles[0].run.words = {"main.py", "-a", "x y"};
  EXPECT_THAT(Words(spec), ElementsAre("/opt/venv/bin/python", "main.py", "-a", "x y"));
  spec.roles[0].run.words = {"./run.sh", "$HOME"};
  EXPECT_THAT(Words(spec), ElementsAre("/bin/bash", "./run.sh", "$HOME"));
}

TEST(BuildCommand, ScriptInFrontOfShellTextIsStartedByItsInterpreter) {
  EXPECT_THAT(Words(Running("train.py --lr $LR > log")),
              ElementsAre("/bin/sh", "-c", "python3 train.py --lr $LR > log"));
  EXPECT_THAT(Words(Running("cd x && train.py")), ElementsAre("/bin/sh", "-c", "cd x && train.py"));
}

TEST(BuildCommand, AppendsInputsOutputsAndParameters) {
  JobSpec spec = Running("train.py");
  spec.inputs = {{"data_url", "/data/cifar"}, {"labels", "file:///d/a%20b"}};
  spec.outputs = {{"train_url", ""}, {"model", "/out/model"}};
  spec.roles[0].parameters = {{"epoch_size", "90"}};
  EXPECT_THAT(Words(spec),
              ElementsAre("python3", "train.py", "--data_url=/data/cifar", "--labels=/d/a b",
                          "--train_url=/data/jobs/7/outputs/train_url", "--model=/out/model",
                          "--epoch_size=90"));
}

TEST(BuildCommand, DefaultOutputFoldersAreInsideTheJobWhateverTheirName) {
  EXPECT_EQ(OutputFolder({"a/../../b", ""}, SomePlaces()), "/data/jobs/7/outputs/a_.._.._b");
}

TEST(BuildCommand, ParameterReplacesAnInputOfTheSameName) {
  JobSpec spec = Running("train.py");
  spec.inputs = {{"data_url", "/data/cifar"}};
  spec.roles[0].parameters = {{"data_url", "/elsewhere"}};
  EXPECT_THAT(Words(spec), ElementsAre("python3", "train.py", "--data_url=/elsewhere"));
}

TEST(BuildCommand, EmptyCommandAndOpenQuoteAreRejected) {
  EXPECT_FALSE(BuildCommand(Running(" \n"), Running(" \n").roles[0], SomePlaces()).has_value());
  const JobSpec open = Running("echo 'a");
  const auto argv = BuildCommand(open, open.roles[0], SomePlaces());
  ASSERT_FALSE(argv.has_value());
  EXPECT_EQ(argv.error().code, Code::kInvalid);
}

TEST(RunsProgram, FindsAProgramInWordsModulesAndShellText) {
  const std::string_view names[] = {"torchrun", "torch.distributed.run"};
  const auto runs = [&](std::vector<std::string> argv) { return RunsProgram(argv, names); };
  EXPECT_TRUE(runs({"torchrun", "x.py"}));
  EXPECT_TRUE(runs({"/usr/bin/torchrun"}));
  EXPECT_TRUE(runs({"python3.11", "-u", "-X", "dev", "-m", "torch.distributed.run", "x.py"}));
  EXPECT_TRUE(runs({"/bin/sh", "-c", "cd a&&torchrun x.py | tee log"}));
  EXPECT_FALSE(runs({"python3", "torchrun"}));
  EXPECT_FALSE(runs({"python3", "x.py", "-m", "torch.distributed.run"}));
  EXPECT_FALSE(runs({"/bin/sh", "-c", "echo torchrunner"}));
  EXPECT_FALSE(runs({}));
}

TEST(PlainPath, EscapesOfTwoHexDigitsAreDecoded) {
  EXPECT_EQ(PlainPath("file:///a%20b%2Fc%2f"), "/a b/c/");
  EXPECT_EQ(PlainPath("file:///%00%09%0A%aA%Ff%FF"), std::string("/\0\t\n\xaa\xff\xff", 7));
  EXPECT_EQ(PlainPath("file://localhost/a"), "/a");
}

TEST(PlainPath, OtherPercentSignsAreKept) {
  for (const char* path :
       {"/%", "/%4", "/a%", "/a%4", "/%%", "/%/0", "/%0:", "/%g0", "/%0G", "/%`0", "/%@0", "/% 1"})
    EXPECT_EQ(PlainPath(std::string("file://") + path), path);
  EXPECT_EQ(PlainPath("/a%20b"), "/a%20b");
}

// A view into a longer text: the bytes behind its end are no part of it.
TEST(PlainPath, BytesBehindTheEndAreNotRead) {
  const std::string text = "file:///a%41";
  EXPECT_EQ(PlainPath(std::string_view(text).substr(0, text.size() - 1)), "/a%4");
  EXPECT_EQ(PlainPath(std::string_view(text).substr(0, text.size() - 2)), "/a%");
}

}  // namespace
}  // namespace muster::dialect
