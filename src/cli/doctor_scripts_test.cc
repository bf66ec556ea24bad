#include "cli/doctor_scripts.h"

#include <gmock/gmock.h>

#include "cli/testing/capture_screen.h"
#include "os/temp_dir.h"

namespace muster::cli {
namespace {

using testing::HasSubstr;

TEST(DoctorScripts, TextHasLineScriptTextReasonAndNextStep) {
  const os::TempDir dir;
  const std::string name = (dir / "run.sh").string();
  ASSERT_TRUE(os::WriteFileAtomic(name, "\nx --master_addr=10.2.3.4\n", 0600, false));
  const auto report = LookAtScript(name);
  ASSERT_TRUE(report) << report.error().text;
  const CaptureScreen screen;
  const std::string text = ScriptText(screen, *report);
  EXPECT_THAT(text, HasSubstr(name + ":2: FAIL fixed-address: "));
  EXPECT_THAT(text, HasSubstr("    x --master_addr=10.2.3.4\n    next: "));
  EXPECT_THAT(text, HasSubstr("1 failure, 0 warnings"));
}

TEST(DoctorScripts, OtherScriptsAreSearchedInTheFolderOfTheScript) {
  const os::TempDir dir;
  const std::string name = (dir / "run.sh").string();
  ASSERT_TRUE(os::WriteFileAtomic(dir / "here.py", "", 0600, false));
  ASSERT_TRUE(os::WriteFileAtomic(name, "python here.py\npython gone.py\n", 0600, false));
  const auto report = LookAtScript(name);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->findings.size(), 1u);
  EXPECT_EQ(report->findings[0].fault, checkup::Fault::kMissingScript);
  EXPECT_EQ(report->findings[0].line, 2);
}

TEST(DoctorScripts, FilesThatAreNotScriptsAreRejected) {
  const os::TempDir dir;
  ASSERT_TRUE(os::WriteFileAtomic(dir / "data", "1,2\n", 0600, false));
  EXPECT_EQ(LookAtScript((dir / "data").string()).error().code, Code::kInvalid);
  EXPECT_EQ(LookAtScript((dir / "absent.py").string()).error().code, Code::kNotFound);
  EXPECT_EQ(LookAtScript("/dev/zero").error().code, Code::kTooLarge);
}

}  // namespace
}  // namespace muster::cli
