#include "launcher/pre_start.h"

#include <gmock/gmock.h>

namespace muster::launcher {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::string Dump(std::initializer_list<std::string_view> entries) {
  std::string dump;
  for (const std::string_view entry : entries) dump.append(entry).push_back('\0');
  return dump;
}

TEST(Exported, NewAndChangedVariablesAreTaken) {
  EXPECT_THAT(Exported({"A=1", "B=2"}, Dump({"A=1", "B=3", "C=", "D=x=y"})),
              ElementsAre(Pair("B", "3"), Pair("C", ""), Pair("D", "x=y")));
}

TEST(Exported, NamesMayHaveEveryLetterDigitAndUnderscore) {
  for (const char* name : {"a", "z", "A", "Z", "_a", "a0", "a9", "Az_09"})
    EXPECT_THAT(Exported({}, Dump({std::string(name) + "=v"})), ElementsAre(Pair(name, "v")))
        << name;
}

TEST(Exported, OtherNamesAreLeftOut) {
  // The neighbours of the allowed characters in ASCII, and names that begin with a digit.
  for (const char* name :
       {"", "0a", "9a", "a@", "a[", "a`", "a{", "a/", "a:", "a-b", "a.b", "a b", "BASH_FUNC_f%%"})
    EXPECT_THAT(Exported({}, Dump({std::string(name) + "=v"})), IsEmpty()) << name;
}

TEST(Exported, VariablesOfTheShellAndOfMusterAreLeftOut) {
  EXPECT_THAT(Exported({}, Dump({"_=x", "SHLVL=2", "PWD=/", "OLDPWD=/", "MUSTER_RANK=1"})),
              IsEmpty());
  EXPECT_THAT(Exported({}, Dump({"MUSTER=x", "PWD2=y"})),
              ElementsAre(Pair("MUSTER", "x"), Pair("PWD2", "y")));
}

TEST(Exported, LastEntryNeedsNoTerminator) {
  EXPECT_THAT(Exported({}, "A=1"), ElementsAre(Pair("A", "1")));
  EXPECT_THAT(Exported({}, "no equals sign"), IsEmpty());
  EXPECT_THAT(Exported({}, ""), IsEmpty());
}

TEST(PreStartWords, ScriptGetsItsNameAndWords) {
  NodeOrder order;
  order.dir = "/d";
  order.pre_start = PreStart{"ma-pre-start.sh", "true", {"one", "two"}};
  const auto words = PreStartWords(order);
  ASSERT_EQ(words.size(), 6u);
  EXPECT_EQ(words[0], "/bin/bash");
  EXPECT_TRUE(words[2].ends_with("true"));
  EXPECT_THAT(words[2], testing::HasSubstr("/d/pre_start.env"));
  EXPECT_EQ(words[3], "ma-pre-start.sh");
  EXPECT_EQ(words[5], "two");
}

}  // namespace
}  // namespace muster::launcher
