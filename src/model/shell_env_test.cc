#include "model/shell_env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/spec_reader.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(ShellEnv, SecretNamesAreRecognizedByTheirParts) {
  for (const char* name :
       {"HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "DB_PASSWORD", "OPENAI_APIKEY",
        "MYSQL_PWD", "CONDA_TOKEN", "GIT_TOKENS", "key", "SSH_KEY_PATH", "NPM_AUTH"})
    EXPECT_TRUE(IsSecretName(name)) << name;
  for (const char* name : {"PATH", "PWD", "TOKENIZERS_PARALLELISM", "KEYBOARD", "HF_HOME",
                           "LD_LIBRARY_PATH", "AUTHOR", ""})
    EXPECT_FALSE(IsSecretName(name)) << name;
}

TEST(ShellEnv, DefaultChoiceTakesTheListAndNoSecrets) {
  const char* entries[] = {"PATH=/v/bin:bin:/bin",
                           "VIRTUAL_ENV=/v",
                           "HOME=/root",
                           "CONDA_PREFIX=/c",
                           "CONDA_TOKEN=x",
                           "LC_ALL=C",
                           "PYTHONPATH=src",
                           "MUSTER_TOKEN=x",
                           "HF_TOKEN=x",
                           "LD_LIBRARY_PATH=l",
                           "LANG=a=b\nc",
                           "broken",
                           nullptr};
  EXPECT_THAT(
      TakeShellEnv({}, entries, "/here"),
      ElementsAre(Pair("PATH", "/v/bin:/here/bin:/bin"), Pair("VIRTUAL_ENV", "/v"),
                  Pair("CONDA_PREFIX", "/c"), Pair("LC_ALL", "C"), Pair("PYTHONPATH", "src"),
                  Pair("LD_LIBRARY_PATH", "/here/l"), Pair("LANG", "a=b\nc")));
  EXPECT_TRUE(TakeShellEnv({}, nullptr, "/").empty());
}

TEST(ShellEnv, NamesAreTakenBesideTheListOrInsteadOfIt) {
  const char* entries[] = {"PATH=/bin", "HF_HOME=/hf", "HF_TOKEN=x", "NCCL_DEBUG=INFO", nullptr};
  EXPECT_THAT(TakeShellEnv(*ParseEnvChoice("inherit,HF_*"), entries, "/"),
              ElementsAre(Pair("PATH", "/bin"), Pair("HF_HOME", "/hf")));
  EXPECT_THAT(TakeShellEnv(*ParseEnvChoice("HF_TOKEN,NCCL_DEBUG"), entries, "/"),
              ElementsAre(Pair("HF_TOKEN", "x"), Pair("NCCL_DEBUG", "INFO")));
  EXPECT_TRUE(TakeShellEnv(*ParseEnvChoice("none"), entries, "/").empty());
  for (const char* bad : {"", "a b", "ALL", "A,,B", "1A", "A=1"})
    EXPECT_FALSE(ParseEnvChoice(bad)) << bad;
}

TEST(ShellEnv, ChoiceIsTakenOutOfTheDocument) {
  json::object document{{"env", json::array{"inherit", "HF_HOME", "A=x=y"}}};
  const EnvChoice choice = TakeEnvChoice(document);
  EXPECT_TRUE(choice.inherit);
  EXPECT_THAT(choice.names, ElementsAre("HF_HOME"));
  EXPECT_EQ(document["env"], (json::object{{"A", "x=y"}}));
  json::object none{{"env", "none"}};
  EXPECT_FALSE(TakeEnvChoice(none).inherit);
  json::object map{{"env", json::object{{"A", "1"}}}};
  EXPECT_TRUE(TakeEnvChoice(map).inherit);
  EXPECT_EQ(map["env"], (json::object{{"A", "1"}}));
}

std::string FaultsOf(std::string_view text) {
  Marks marks;
  const auto document = ReadDocument(text, TextFormat::kGuess, &marks);
  const auto specs = ReadSpecs(*document, marks);
  return specs ? "" : FaultText(specs.error(), "job.yaml");
}

TEST(ShellEnv, JobFileNamesTheChoice) {
  for (const char* env : {"inherit", "none", "[A, B_*, inherit]", "[A=1]", "{A: 1}", ""})
    EXPECT_EQ(FaultsOf(fmt::format("run: x\nenv: {}\n", env)), "") << env;
  for (const char* env :
       {"everything", "[1]", "['A B']", "[none]", "[MUSTER_X=1]", "[A, ALL]", "3"})
    EXPECT_THAT(FaultsOf(fmt::format("run: x\nenv: {}\n", env)), HasSubstr("env")) << env;
  EXPECT_THAT(FaultsOf("run: x\nroles: {a: {env: inherit}}\n"), HasSubstr("roles.a.env"));
}

TEST(ShellEnv, NormalFormKeepsTheVariables) {
  JobSpec spec;
  spec.name = "x";
  spec.roles.push_back({.run = {"x", {}}});
  spec.shell_env = {{"PATH", "/${x}:/bin"}, {"LANG", "C"}};
  spec.submit_dir = "/home/${me}";
  const auto specs = ReadSpecs(ToJsonObject(spec), {});
  ASSERT_TRUE(specs);
  EXPECT_EQ(specs->front(), spec);
}

}  // namespace
}  // namespace muster
