#include "verdict/missing_module.h"

#include <gmock/gmock.h>

namespace muster::verdict {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(MissingModule, NameIsReadFromBothFormsOfTheMessage) {
  EXPECT_EQ(MissingModule({"ModuleNotFoundError: No module named 'utils.data'"}), "utils.data");
  EXPECT_EQ(MissingModule({"/usr/bin/python3: No module named pytest"}), "pytest");
  EXPECT_EQ(MissingModule({"No module named 'a.b'; 'a' is not a package"}), "a.b");
  EXPECT_EQ(MissingModule({"ImportError: cannot import name 'x'"}), "");
}

TEST(ModuleAdvice, OwnModuleInTheCodeNeedsASearchPathAndNoInstallation) {
  const auto advice = ModuleAdvice({"utils", "lib/utils/__init__.py", true}, "python3");
  EXPECT_THAT(advice, HasSubstr("PYTHONPATH to lib"));
  EXPECT_THAT(advice, Not(HasSubstr("nstall")));
  EXPECT_THAT(ModuleAdvice({"utils", "utils.py", true}, "python3"),
              HasSubstr("PYTHONPATH to \".\""));
}

TEST(ModuleAdvice, CodeThatWasNotSentIsNamedBeforeInstallation) {
  EXPECT_THAT(ModuleAdvice({"utils", "", false}, "python3"), HasSubstr("sent without code"));
  EXPECT_THAT(ModuleAdvice({"utils", "", true}, "python3"), HasSubstr(".musterignore"));
  EXPECT_THAT(ModuleAdvice({"torch", "", true}, "/v/bin/python"),
              HasSubstr("install it for the interpreter of the job (/v/bin/python)"));
}

}  // namespace
}  // namespace muster::verdict
