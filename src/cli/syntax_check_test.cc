#include "cli/syntax_check.h"

#include <gmock/gmock.h>

#include "os/file.h"
#include "os/temp_dir.h"

namespace muster::cli {
namespace {

using checkup::Language;
using testing::HasSubstr;
using testing::StartsWith;

std::optional<checkup::SyntaxError> Check(Language language, const std::string& text) {
  const os::TempDir dir;
  const std::string name = (dir / "script").string();
  EXPECT_TRUE(os::WriteFileAtomic(name, text, 0600, false));
  return CheckSyntax(language, name);
}

TEST(SyntaxCheck, PythonErrorHasLineVersionAndMessage) {
  const auto error = Check(Language::kPython, "x = 1\nif x\n  y = 2\n");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->line, 2);
  EXPECT_THAT(error->text, StartsWith("Python 3."));
  EXPECT_THAT(error->text, HasSubstr("expected ':'"));
}

TEST(SyntaxCheck, ShellErrorHasLineAndMessage) {
  const auto error = Check(Language::kShell, "if true; then\n  echo\ndone\n");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->line, 3);
  EXPECT_THAT(error->text, HasSubstr("`done'"));
}

TEST(SyntaxCheck, CorrectScriptsHaveNoError) {
  EXPECT_FALSE(Check(Language::kPython, "import absent_module\nx = 1\n"));
  EXPECT_FALSE(Check(Language::kShell, "for i in 1 2; do echo $i; done\n"));
}

TEST(SyntaxCheck, ScriptIsNotExecuted) {
  const os::TempDir dir;
  const std::string made = (dir / "made").string();
  EXPECT_FALSE(Check(Language::kPython, "open('" + made + "', 'w')\n"));
  EXPECT_FALSE(Check(Language::kShell, "touch " + made + "\n"));
  EXPECT_FALSE(std::filesystem::exists(made));
}

TEST(SyntaxCheck, InvalidBytesAreAnError) {
  EXPECT_TRUE(Check(Language::kPython, std::string("x = 1\0", 6)));
}

}  // namespace
}  // namespace muster::cli
