#include "cli/completion.h"

#include <sys/wait.h>

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/verbs.h"
#include "os/temp_dir.h"

namespace muster::cli {
namespace {

using testing::HasSubstr;

bool Runs(const std::string& command) { return std::system(command.c_str()) == 0; }

TEST(CompletionTest, BashAcceptsItsScript) {
  const os::TempDir dir;
  const auto file = dir.Write("muster.bash", CompletionScript("bash").value());
  EXPECT_TRUE(Runs("bash -n " + file.string()));
}

TEST(CompletionTest, BashCompletesVerbsFlagsAndIds) {
  const os::TempDir dir;
  dir.Write("bin/muster",
            "#!/bin/sh\ncase \"$*\" in\n"
            "'ps --ids --no-start') printf '17\\n18\\n' ;;\n"
            "'ps --ids --state queued '*) echo 20 ;;\n"
            "'ps --ids --state queued,'*) echo 21 ;;\n"
            "'ps --ids --state succeeded'*) echo 22 ;;\n"
            "'ps --groups '*) echo sweep-3 ;;\nesac\n",
            0755);
  dir.Write("muster.bash", CompletionScript("bash").value());
  dir.Write(
      "try.bash",
      "PATH=$1/bin:$PATH; source $1/muster.bash\n"
      "try() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _muster; echo \"${COMPREPLY[*]}\"; }\n"
      "try muster des\ntry muster logs 1\ntry muster run --frame\ntry muster ps --state que\n"
      "try muster completion f\n"
      "try muster objects pre\ntry muster run --platform modelarts-\ntry muster run --workdir r\n"
      "try muster stop ''\ntry muster rm ''\ntry muster why ''\ntry muster ps --group ''\n"
      "try muster schema s\n");
  const std::string out = (dir.path() / "out").string();
  ASSERT_TRUE(
      Runs("bash " + (dir.path() / "try.bash").string() + " " + dir.path().string() + " > " + out));
  EXPECT_EQ(os::ReadFile(out).value(),
            "describe\n17 18\n--framework\nqueued\nfish\npresign\nmodelarts-v1\nrank\n21\n22\n20\n"
            "sweep-3\nserver\n");
}

TEST(CompletionTest, ZshAndFishAcceptTheirScripts) {
  const os::TempDir dir;
  for (const std::string shell : {"zsh", "fish"}) {
    const auto file = dir.Write("muster." + shell, CompletionScript(shell).value());
    if (!Runs("command -v " + shell + " > /dev/null")) continue;
    EXPECT_TRUE(Runs(shell + " -n " + file.string())) << shell;
  }
}

TEST(CompletionTest, EveryScriptNamesEveryVerbAndFlag) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = CompletionScript(shell).value();
    for (const Verb& verb : Verbs()) {
      EXPECT_THAT(script, HasSubstr(verb.name)) << shell;
      for (const Flag& flag : AllFlags(verb)) EXPECT_THAT(script, HasSubstr(flag.name)) << shell;
    }
  }
}

TEST(CompletionTest, OtherShellsAreRejected) {
  EXPECT_EQ(CompletionScript("tcsh").error().code, Code::kInvalid);
}

}  // namespace
}  // namespace muster::cli
