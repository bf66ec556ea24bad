#include "model/variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

struct Expanded {
  std::string text;
  std::vector<VariableProblem> problems;
};

Expanded Expand(Variables& variables, std::string_view text,
                UnknownName unknown = UnknownName::kFault) {
  const BuiltIns built_ins{.nodes = 2, .devices = 8, .ranks = 16, .name = "job"};
  Expanded result;
  result.text = variables.Expand(text, built_ins, unknown, result.problems);
  return result;
}

TEST(VariablesTest, NamesAreReplaced) {
  Variables variables;
  variables.Define("root", "/data");
  variables.Define("set", "${root}/mnist");
  EXPECT_EQ(Expand(variables, "a ${set} b ${root}").text, "a /data/mnist b /data");
  EXPECT_EQ(Expand(variables, "${nodes}x${devices}=${ranks} ${name}").text, "2x8=16 job");
  EXPECT_EQ(Expand(variables, "plain $HOME $ {a} $").text, "plain $HOME $ {a} $");
}

TEST(VariablesTest, DoubledDollarKeepsTheText) {
  Variables variables;
  variables.Define("a", "1");
  EXPECT_EQ(Expand(variables, "$${a} $$${a} ${a}").text, "${a} $${a} 1");
}

TEST(VariablesTest, EscapingIsUndoneByExpanding) {
  Variables variables;
  for (std::string_view text : {"", "$", "${a}", "$${a}", "$$$${", "${", "a$b${c:-d}", "${${a}}"}) {
    const Expanded result = Expand(variables, EscapeVariables(text));
    EXPECT_EQ(result.text, text);
    EXPECT_THAT(result.problems, IsEmpty());
  }
}

TEST(VariablesTest, UnknownNamesAreProblemsOrKept) {
  Variables variables;
  const Expanded strict = Expand(variables, "${x} ${y} ${x}");
  ASSERT_THAT(strict.problems, SizeIs(2));
  EXPECT_EQ(strict.problems[0].name, "x");
  const Expanded kept = Expand(variables, "${x} ${y:-3} ${", UnknownName::kKeep);
  EXPECT_THAT(kept.problems, IsEmpty());
  EXPECT_EQ(kept.text, "${x} ${y:-3} ${");
}

TEST(VariablesTest, MalformedNamesAreProblems) {
  Variables variables;
  for (std::string_view text : {"${", "${}", "${a b}", "${1}", "${a:-b}"}) {
    const Expanded result = Expand(variables, text);
    ASSERT_THAT(result.problems, SizeIs(1)) << text;
    EXPECT_EQ(result.problems[0].kind, VariableProblem::Kind::kMalformed) << text;
  }
}

TEST(VariablesTest, LoopsAreFoundAndRemoved) {
  Variables variables;
  variables.Define("a", "${b}");
  variables.Define("b", "x${c}");
  variables.Define("c", "${b}");
  variables.Define("self", "${self}");
  variables.Define("good", "${leaf}");
  variables.Define("leaf", "1");
  EXPECT_THAT(variables.BreakLoops(),
              ElementsAre(ElementsAre("b", "c", "b"), ElementsAre("self", "self")));
  EXPECT_THAT(variables.BreakLoops(), IsEmpty());
  const Expanded result = Expand(variables, "${a}|${self}|${good}");
  EXPECT_EQ(result.text, "||1");
  EXPECT_THAT(result.problems, Each(Field(&VariableProblem::kind, VariableProblem::Kind::kBroken)));
  EXPECT_THAT(result.problems, SizeIs(2));
}

TEST(VariablesTest, LongChainsAreRemoved) {
  Variables variables;
  for (int i = 0; i < 5000; ++i) {
    variables.Define("v" + std::to_string(i), "${v" + std::to_string(i + 1) + "}");
  }
  variables.Define("v5000", "end");
  EXPECT_FALSE(variables.BreakLoops().empty());
  EXPECT_THAT(variables.BreakLoops(), IsEmpty());
}

TEST(VariablesTest, DoublingVariablesAreTooLarge) {
  Variables variables;
  variables.Define("v0", "0123456789");
  for (int i = 1; i < 60; ++i) {
    const std::string before = "${v" + std::to_string(i - 1) + "}";
    variables.Define("v" + std::to_string(i), before + before);
  }
  EXPECT_THAT(variables.BreakLoops(), IsEmpty());
  const Expanded result = Expand(variables, "${v59}");
  ASSERT_THAT(result.problems, SizeIs(1));
  EXPECT_EQ(result.problems[0].kind, VariableProblem::Kind::kTooLarge);
  EXPECT_LE(result.text.size(), kMaxExpandedBytes);
}

TEST(VariablesTest, DoublingOfEmptyVariablesIsTooLarge) {
  Variables variables;
  variables.Define("v0", "");
  for (int i = 1; i < 60; ++i) {
    const std::string before = "${v" + std::to_string(i - 1) + "}";
    variables.Define("v" + std::to_string(i), before + before);
  }
  EXPECT_EQ(Expand(variables, "${v59}").problems.size(), 1u);
}

TEST(VariablesTest, ManyOpenBracesAreReadQuickly) {
  Variables variables;
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += "${";
  EXPECT_THAT(Expand(variables, text).problems, SizeIs(testing::Le(10u)));
}

}  // namespace
}  // namespace muster
