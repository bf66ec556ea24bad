#include <gmock/gmock.h>

#include "checkup/python.h"
#include "checkup/script.h"
#include "checkup/settings.h"
#include "checkup/shell.h"

namespace muster::checkup {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ReadShell, JoinsContinuedLinesAndKeepsWhereTheyBegin) {
  const auto commands = ReadShell("# first\n\npython -m x \\\n  --a=1 \\\n  train.py\necho done\n");
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(commands[0].line, 3);
  EXPECT_THAT(commands[0].words, ElementsAre("python", "-m", "x", "--a=1", "train.py"));
  EXPECT_EQ(commands[1].line, 6);
}

TEST(ReadShell, TakesQuotesAwayAndLeavesExpansionsAsTheyAre) {
  const auto commands = ReadShell("a 'b c' \"d $(e \"f\") ${g:-h i}\" $[j-1] `k l` x\\ y");
  ASSERT_EQ(commands.size(), 1u);
  EXPECT_THAT(commands[0].words,
              ElementsAre("a", "b c", "d $(e \"f\") ${g:-h i}", "$[j-1]", "`k l`", "x y"));
}

TEST(ReadShell, TellsHowCommandsEnd) {
  const auto commands = ReadShell("a & b && c || d | e; f 2>&1 >g\nh");
  std::vector<std::string> ends;
  for (const auto& command : commands) ends.push_back(command.end);
  EXPECT_THAT(ends, ElementsAre("&", "&&", "||", "|", ";", "", ""));
}

TEST(ReadShell, KeepsTheHeadOfAnArithmeticLoopTogether) {
  const auto commands = ReadShell("for((i=0; i<${N}; i++))\ndo\n  run $i\ndone");
  ASSERT_GE(commands.size(), 2u);
  EXPECT_THAT(commands[0].words, ElementsAre("for", "((i=0; i<${N}; i++))"));
}

TEST(ReadShell, LeavesHereDocumentsAndCommentsOut) {
  const auto commands = ReadShell("cat <<'END' > f\npython x.sh\nEND\nnext # python y.sh\n");
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(commands[1].line, 4);
  EXPECT_THAT(commands[1].words, ElementsAre("next"));
}

TEST(ReadShell, LooksIntoTheScriptOfAnotherShell) {
  const auto commands = ReadShell("\nsudo -E bash -c ' cd /x && sleep infinity'");
  ASSERT_EQ(commands.size(), 3u);
  EXPECT_EQ(commands[0].Program(), "bash");
  EXPECT_EQ(commands[2].Program(), "sleep");
  EXPECT_EQ(commands[2].line, 2);
}

TEST(ReadShell, FindsTheProgramBehindKeywordsAssignmentsAndWrappers) {
  EXPECT_EQ(ReadShell("do A=1 nohup nice -n 5 /usr/bin/python3 x.py &")[0].Program(), "python3");
  EXPECT_EQ(ReadShell("export A=1")[0].Program(), "");
}

TEST(ReadPython, JoinsBracketsAndDropsCommentsAndDocumentation) {
  const auto lines = ReadPython("\"\"\"words\n= 1\"\"\"\nf(a,  # why\n  b=2)\nx = '#' # y\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].line, 3);
  EXPECT_EQ(lines[0].text, "f(a,     b=2)");
  EXPECT_EQ(lines[1].text, "x = '#' ");
  EXPECT_EQ(lines[1].code, "x = ' ' ");
}

TEST(ReadPython, TellsWhatIsImported) {
  const auto lines = ReadPython("import os, a.b as c\nfrom d.e import (f, g as h)\nx = 1\n");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(Imports(lines[0]), ElementsAre("os", "a.b"));
  EXPECT_THAT(Imports(lines[1]), ElementsAre("d.e", "d.e.f", "d.e.g"));
  EXPECT_THAT(Imports(lines[2]), IsEmpty());
}

TEST(ReadPython, FindsWholeNamesOnly) {
  EXPECT_EQ(FindName("my_rank, rank", "rank"), 9u);
  EXPECT_EQ(FindName("ranks", "rank"), std::string_view::npos);
}

TEST(Settings, AreVariablesAndFlagsOfAShell) {
  const auto settings = SettingsOf(ReadShell(
      "export MASTER_PORT=29500\nx --nproc-per-node 8 -np 4 --a=b\nc=\"--log_dir d --gpus=0,1\""));
  std::vector<std::string> seen;
  for (const Setting& each : settings) seen.push_back(each.name + "=" + each.value);
  EXPECT_THAT(seen, ElementsAre("master_port=29500", "nproc_per_node=8", "np=4", "a=b",
                                "c=--log_dir d --gpus=0,1", "log_dir=d", "gpus=0,1"));
}

TEST(Settings, AreAssignmentsAndNamedArgumentsOfPython) {
  const auto settings = SettingsOf(
      ReadPython("os.environ['RANK'] = str(local_rank)\ninit(\"x\", rank=f(1, 2), n=3)\nif a == 1: "
                 "pass\nb += 2\n"));
  std::vector<std::string> seen;
  for (const Setting& each : settings) seen.push_back(each.name + "=" + each.value);
  EXPECT_THAT(seen, ElementsAre("rank=str(local_rank)", "rank=f(1, 2)", "n=3"));
}

TEST(Settings, AreNotTheDefaultsThatAnotherValueCanReplace) {
  EXPECT_THAT(SettingsOf(ReadPython("def f(port=1):\n  pass\np.add_argument('--port', default=2)")),
              IsEmpty());
}

TEST(Script, ToldByItsEndingElseByItsFirstLine) {
  EXPECT_EQ(LanguageOf("a.py", ""), Language::kPython);
  EXPECT_EQ(LanguageOf("run", "#!/usr/bin/env python3\n"), Language::kPython);
  EXPECT_EQ(LanguageOf("run", "#!/bin/bash\n"), Language::kShell);
  EXPECT_EQ(LanguageOf("data.bin", "\x7f"), std::nullopt);
}

}  // namespace
}  // namespace muster::checkup
