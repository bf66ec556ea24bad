#include "cli/job_input.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/connect.h"
#include "cli/verbs.h"
#include "os/net.h"
#include "os/temp_dir.h"

namespace muster::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class JobInputTest : public testing::Test {
 protected:
  Result<JobInput> Read(std::vector<std::string> arguments) const {
    const auto args = ParseFlags(AllFlags(RunVerb()), arguments);
    EXPECT_TRUE(args) << args.error().text;
    return ReadJobInput(*args, dir_.path());
  }
  std::string Here(const std::string& name) const { return (dir_.path() / name).string(); }

  os::TempDir dir_;
};

TEST_F(JobInputTest, FileAndFlagsAreMergedIntoOneDocument) {
  const auto file = dir_.Write(
      "jobs/job.yaml", "name: x\nrun: python train.py\nresources: {nodes: 1, devices: cpu:1}\n");
  const auto input = Read({file.string(), "-N", "2", "-e", "A=1", "-J", "y"});
  ASSERT_TRUE(input) << input.error().text;
  ASSERT_EQ(input->specs.size(), 1u);
  EXPECT_EQ(input->specs[0].name, "y");
  EXPECT_EQ(input->specs[0].TotalNodes(), 2);
  EXPECT_EQ(input->specs[0].roles[0].env, (Pairs{{"A", "1"}}));
}

TEST_F(JobInputTest, FilePathsAreRelativeToTheFileAndFlagPathsToTheCurrentFolder) {
  const auto file = dir_.Write("jobs/job.yaml",
                               "run: train.py\ncode: ../src/\ninputs: {a: data, b: /abs, c: data}\n"
                               "outputs: {o: out, kept: }\n");
  const auto input = Read({file.string(), "--input", "c=mine", "--output", "p=../res"});
  ASSERT_TRUE(input) << input.error().text;
  const JobSpec& spec = input->specs[0];
  EXPECT_EQ(spec.inputs, (Pairs{{"a", Here("jobs/data")}, {"b", "/abs"}, {"c", Here("mine")}}));
  EXPECT_EQ(spec.outputs[0].second, Here("jobs/out"));
  EXPECT_EQ(spec.outputs[1].second, "");
  EXPECT_EQ(spec.outputs[2].second, (dir_.path().parent_path() / "res").string());
  EXPECT_EQ(input->code, Here("src"));
  EXPECT_EQ(input->code_reason, "");
}

TEST_F(JobInputTest, VariableDecidesWhetherAPathIsRelative) {
  const auto file = dir_.Write("job.yaml",
                               "variables: {root: /mnt, sub: data}\nrun: x\n"
                               "inputs: {a: '${root}/a', b: '${sub}/b'}\n");
  const auto input = Read({file.string()});
  ASSERT_TRUE(input) << input.error().text;
  EXPECT_EQ(input->specs[0].inputs, (Pairs{{"a", "/mnt/a"}, {"b", Here("data/b")}}));
}

TEST_F(JobInputTest, FolderNamedLikeAVariableIsNotExpanded) {
  const auto file = dir_.Write("${x}/job.yaml", "run: x\ncode: src\ninputs: {a: data}\n");
  const auto input = Read({file.string()});
  ASSERT_TRUE(input) << input.error().text;
  EXPECT_EQ(input->specs[0].inputs[0].second, Here("${x}/data"));
  EXPECT_EQ(input->code, Here("${x}/src"));
}

TEST_F(JobInputTest, TildeIsTheHomeFolder) {
  const auto input = Read({"--input", "a=~/data", "--", "x"});
  ASSERT_TRUE(input);
  if (const char* home = std::getenv("HOME"))
    EXPECT_EQ(input->specs[0].inputs[0].second, std::string(home) + "/data");
}

TEST_F(JobInputTest, CommandThatNamesAFileSendsTheCurrentFolder) {
  dir_.Write("train.py", "x");
  const auto input = Read({"--", "python3", "train.py", "--lr=1"});
  ASSERT_TRUE(input) << input.error().text;
  EXPECT_EQ(input->code, dir_.path().string());
  EXPECT_EQ(input->code_reason, "the command names train.py");
  EXPECT_THAT(input->named_files, ElementsAre("train.py"));
}

TEST_F(JobInputTest, JobFileThatNamesAFileSendsItsFolder) {
  dir_.Write("jobs/train.py", "x");
  const auto input = Read({dir_.Write("jobs/job.yaml", "run: train.py\n").string()});
  ASSERT_TRUE(input) << input.error().text;
  EXPECT_EQ(input->code, Here("jobs"));
  EXPECT_EQ(input->specs[0].code, Here("jobs"));
  EXPECT_EQ(input->code_reason, "the command names train.py");
}

TEST_F(JobInputTest, CommandBesideAJobFileRefersToTheCurrentFolder) {
  dir_.Write("jobs/train.py", "x");
  dir_.Write("other.py", "x");
  const auto file = dir_.Write("jobs/job.yaml", "run: train.py\n");
  const auto input = Read({file.string(), "--", "other.py"});
  ASSERT_TRUE(input) << input.error().text;
  EXPECT_EQ(input->code, dir_.path().string());
}

TEST_F(JobInputTest, CommandThatNamesNoFileSendsNoCode) {
  dir_.Write("train.py", "x");
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"--", "echo", "hello"}, {dir_.Write("job.yaml", "run: echo hello\n").string()}}) {
    const auto input = Read(arguments);
    ASSERT_TRUE(input) << input.error().text;
    EXPECT_EQ(input->code, "");
    EXPECT_THAT(input->code_reason, HasSubstr("names no file in " + dir_.path().string()));
  }
}

TEST_F(JobInputTest, CodeIsNamedByFlagOrFileAndNoneSendsNothing) {
  dir_.Write("train.py", "x");
  dir_.Write("src/go.py", "x");
  const auto named = Read({"--code", "src", "--", "python3", "go.py"});
  ASSERT_TRUE(named) << named.error().text;
  EXPECT_EQ(named->code, Here("src"));
  EXPECT_THAT(named->named_files, ElementsAre("go.py"));
  const auto file = dir_.Write("job.yaml", "run: x\ncode: src\n");
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {file.string(), "--code", "none"},
           {dir_.Write("none.yaml", "run: x\ncode: none\n").string()}}) {
    const auto none = Read(arguments);
    ASSERT_TRUE(none) << none.error().text;
    EXPECT_EQ(none->code, "");
    EXPECT_FALSE(none->document.contains("code"));
  }
}

TEST_F(JobInputTest, NamedFileThatWouldNotBeSentIsRefused) {
  dir_.Write("train.py", "x");
  dir_.Write("src/go.py", "x");
  dir_.Write("sub/conf.yaml", "x");
  struct Case {
    std::vector<std::string> arguments;
    std::string text, next;
  };
  const Case cases[] = {
      {{"--code", "src", "--", "python3", "train.py"}, "not in the code folder", "--code"},
      {{"--code", "src", "--", "src/go.py", "-a"}, "not in the code folder", "name it go.py"},
      {{"--code", "src", "--", "go.py", "--config=sub/conf.yaml"}, "sub/conf.yaml", "--code"},
      {{"--code", "none", "--", "python3", "train.py"}, "without code", Here("train.py")},
      {{dir_.Write("sub/job.yaml", "run: python3 ../train.py\n").string()},
       "outside of",
       "--code " + dir_.path().string()}};
  for (const Case& one : cases) {
    const auto input = Read(one.arguments);
    ASSERT_FALSE(input) << one.text;
    EXPECT_EQ(input.error().code, Code::kInvalid);
    EXPECT_THAT(input.error().text, HasSubstr(one.text));
    EXPECT_THAT(input.error().next, HasSubstr(one.next));
  }
  EXPECT_TRUE(Read({"--code", "none", "--", "sh", "-c", "fetch && python3 train.py"}));
  EXPECT_TRUE(Read({"--code", "src", "--", "go.py", Here("train.py")}));
}

TEST_F(JobInputTest, InterpreterPathBecomesAbsolute) {
  const auto flag = Read({"--python", "venv/bin/python", "--", "echo"});
  ASSERT_TRUE(flag) << flag.error().text;
  EXPECT_EQ(flag->specs[0].python, Here("venv/bin/python"));
  const auto file =
      Read({dir_.Write("jobs/job.yaml", "run: x\npython: ../v/bin/python\n").string()});
  ASSERT_TRUE(file) << file.error().text;
  EXPECT_EQ(file->specs[0].python, Here("v/bin/python"));
  EXPECT_EQ(Read({"--python", "python3.9", "--", "x"})->specs[0].python, "python3.9");
}

class ShellVariables {
 public:
  ShellVariables() {
    setenv("VIRTUAL_ENV", "/home/${me}/venv", 1);
    setenv("LC_ALL", "C", 1);
    setenv("HF_HOME", "/hf", 1);
  }
  ~ShellVariables() {
    for (const char* name : {"VIRTUAL_ENV", "LC_ALL", "HF_HOME"}) unsetenv(name);
  }
};

std::string ValueOf(const Pairs& pairs, std::string_view name) {
  for (const auto& pair : pairs)
    if (pair.first == name) return pair.second;
  return "(none)";
}

TEST_F(JobInputTest, JobTakesTheVariablesOfItsShell) {
  const ShellVariables shell;
  const auto input = Read({"--", "x"});
  ASSERT_TRUE(input) << input.error().text;
  EXPECT_EQ(ValueOf(input->specs[0].shell_env, "VIRTUAL_ENV"), "/home/${me}/venv");
  EXPECT_EQ(ValueOf(input->specs[0].shell_env, "HF_HOME"), "(none)");
  EXPECT_EQ(input->specs[0].submit_dir, dir_.path().string());
}

TEST_F(JobInputTest, FlagsAndFileChooseTheVariables) {
  const ShellVariables shell;
  const auto file = dir_.Write("job.yaml", "run: x\nenv: [HF_HOME, A=1]\n");
  const auto listed = Read({file.string(), "-e", "B=2"});
  ASSERT_TRUE(listed) << listed.error().text;
  EXPECT_EQ(listed->specs[0].shell_env, (Pairs{{"HF_HOME", "/hf"}}));
  EXPECT_EQ(listed->specs[0].submit_dir, "");
  EXPECT_EQ(listed->specs[0].roles[0].env, (Pairs{{"A", "1"}, {"B", "2"}}));
  const auto flag = Read({file.string(), "--export", "none", "-e", "HF_HOME"});
  ASSERT_TRUE(flag) << flag.error().text;
  EXPECT_TRUE(flag->specs[0].shell_env.empty());
  EXPECT_EQ(ValueOf(flag->specs[0].roles[0].env, "HF_HOME"), "/hf");
  EXPECT_THAT(Read({"-e", "NO_SUCH_NAME", "--", "x"}).error().text, HasSubstr("NO_SUCH_NAME"));
  EXPECT_THAT(Read({"--export", "a b", "--", "x"}).error().text, HasSubstr("--export"));
}

TEST_F(JobInputTest, ServerOnAnotherMachineGetsTheLanguageAlone) {
  const ShellVariables shell;
  auto input = Read({"--", "x"});
  ASSERT_TRUE(input) << input.error().text;
  ForgetLocalPaths(*input);
  const auto sent = ReadSpecs(input->document, {});
  ASSERT_TRUE(sent);
  EXPECT_EQ(ValueOf(sent->front().shell_env, "LC_ALL"), "C");
  EXPECT_EQ(ValueOf(sent->front().shell_env, "VIRTUAL_ENV"), "(none)");
  EXPECT_EQ(ValueOf(sent->front().shell_env, "PATH"), "(none)");
  EXPECT_EQ(sent->front().submit_dir, "");
  auto asked = Read({"--export", "inherit", "--", "x"});
  ForgetLocalPaths(*asked);
  EXPECT_EQ(ValueOf(ReadSpecs(asked->document, {})->front().shell_env, "VIRTUAL_ENV"),
            "/home/${me}/venv");
}

TEST_F(JobInputTest, ServersOfOtherMachinesAreRecognizedByTheirAddress) {
  const auto elsewhere = [](const std::string& url) {
    return ServerIsElsewhere(
        ParseFlags(AllFlags(RunVerb()), std::vector<std::string>{"--server", url}).value());
  };
  for (const char* url :
       {"https://gpu1.example.org:8443", "http://10.1.2.3:80", "http://[fd00::1]:1"})
    EXPECT_TRUE(elsewhere(url)) << url;
  for (const std::string& url :
       {std::string("http://127.0.0.1:80"), std::string("http://localhost:80"),
        std::string("http://[::1]:80"), "http://" + os::HostName() + ":80"})
    EXPECT_FALSE(elsewhere(url)) << url;
}

TEST_F(JobInputTest, SweepYieldsOneSpecPerCombination) {
  const auto input = Read({"--sweep", "lr=0.1,0.2", "--sweep", "bs=1,2", "--", "python3", "t.py"});
  ASSERT_TRUE(input) << input.error().text;
  EXPECT_EQ(input->specs.size(), 4u);
}

TEST_F(JobInputTest, AllFaultsAreReportedWithPositions) {
  const auto file =
      dir_.Write("job.yaml", "nam: x\nrun: train.py\nresources: {nodes: -1, devices: npu:x}\n");
  const auto input = Read({file.string()});
  ASSERT_FALSE(input);
  EXPECT_EQ(input.error().code, Code::kInvalid);
  EXPECT_THAT(input.error().text, HasSubstr("3 faults"));
  EXPECT_THAT(input.error().text, HasSubstr("job.yaml:1:"));
  EXPECT_THAT(input.error().text, HasSubstr("resources.nodes"));
  EXPECT_THAT(input.error().text, HasSubstr("resources.devices"));
}

TEST_F(JobInputTest, UnreadableFilesGetOneError) {
  const std::pair<std::string, std::string> cases[] = {
      {"a: [", "fault"}, {"", "fault"}, {"[]", "fault"}, {"\xff\xfe", "fault"}, {"42", "fault"}};
  for (const auto& [content, words] : cases) {
    const auto input = Read({dir_.Write("bad.yaml", content).string()});
    ASSERT_FALSE(input) << content;
    EXPECT_EQ(input.error().code, Code::kInvalid) << content;
    EXPECT_THAT(input.error().text, HasSubstr(words)) << content;
  }
  const auto large = Read({dir_.Write("large.yaml", std::string(17 << 20, ' ')).string()});
  ASSERT_FALSE(large);
}

TEST_F(JobInputTest, WrongWordsGetASuggestion) {
  EXPECT_THAT(Read({Here("missing.yaml")}).error().text, HasSubstr("missing.yaml"));
  EXPECT_THAT(Read({"python3"}).error().next, HasSubstr("behind --"));
  EXPECT_THAT(Read({dir_.Write("train.py", "x").string()}).error().next,
              HasSubstr("muster run -- "));
  EXPECT_THAT(Read({dir_.path().string()}).error().text, HasSubstr("is a folder"));
  EXPECT_THAT(Read({}).error().text, HasSubstr("nothing to run"));
  EXPECT_FALSE(Read({"-e", "novalue", "--", "x"}));
  EXPECT_FALSE(Read({"--code", "https://host/x.git", "--", "y"}));
}

}  // namespace
}  // namespace muster::cli
