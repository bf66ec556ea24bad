#include "cli/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/temp_dir.h"

namespace muster::cli {
namespace {

using testing::HasSubstr;

TEST(ChecksTest, MissingDataFolderIsJudgedByItsParent) {
  const os::TempDir dir;
  const Check check = CheckDataFolder(dir.path() / "not" / "yet");
  EXPECT_NE(check.grade, Check::Grade::kFail);
  EXPECT_THAT(check.found, HasSubstr("free"));
}

TEST(ChecksTest, MissingInterpreterIsAWarningWithTheNextStep) {
  const auto checks = CheckPython("/no/such/python");
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].grade, Check::Grade::kWarn);
  EXPECT_THAT(checks[0].next, HasSubstr("--python"));
}

TEST(ChecksTest, InterpreterWithoutTorchIsReported) {
  const os::TempDir dir;
  const auto program = dir.Write(
      "python", "#!/bin/sh\ncase \"$2\" in *torch*) exit 1 ;; esac\necho 3.11.2 /usr/bin/python3\n",
      0755);
  const auto checks = CheckPython(program.string());
  ASSERT_EQ(checks.size(), 2u);
  EXPECT_EQ(checks[0].found, "3.11.2 /usr/bin/python3");
  EXPECT_EQ(checks[1].grade, Check::Grade::kWarn);
}

TEST(ChecksTest, EveryCheckThatIsNotOkHasANextStep) {
  const os::TempDir dir;
  for (const Check& check : {CheckDataFolder(dir.path()), CheckOpenFiles(), CheckLockedMemory(),
                             CheckCgroups(), CheckDevices()}) {
    EXPECT_FALSE(check.found.empty()) << check.name;
    if (check.grade != Check::Grade::kOk) {
      EXPECT_FALSE(check.next.empty()) << check.name;
    }
  }
}

}  // namespace
}  // namespace muster::cli
