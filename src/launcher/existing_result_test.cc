#include "launcher/existing_result.h"

#include <gtest/gtest.h>

#include "launcher/publish_output.h"
#include "os/temp_dir.h"

namespace muster::launcher {
namespace {

class ExistingResultTest : public ::testing::Test {
 protected:
  Status Check(bool own = false) {
    transfer::Stores stores([](const std::string&) { return Fail(Code::kInternal, "no store"); });
    return CheckNoOtherResult(*FolderAt(dir_.path().string()), stores,
                              [own](const Manifest&) { return own; });
  }
  void Publish(const std::string& state) const {
    const Manifest manifest{.job = 3, .job_name = "resnet", .output = "o", .state = state};
    Write(ToPrettyJson(ToJsonObject(manifest)));
  }
  void Write(const std::string& text) const {
    ASSERT_TRUE(os::WriteFileAtomic(dir_ / kManifestName, text, 0644, false));
  }

  os::TempDir dir_;
};

TEST_F(ExistingResultTest, FolderWithoutManifestIsFree) { EXPECT_TRUE(Check()); }

TEST_F(ExistingResultTest, ResultOfSucceededJobIsAConflictThatNamesTheJob) {
  Publish("succeeded");
  const auto status = Check();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kConflict);
  EXPECT_TRUE(status.error().text.contains("job 3 (resnet)")) << status.error().text;
  EXPECT_TRUE(status.error().next.contains("overwrite: true")) << status.error().next;
}

TEST_F(ExistingResultTest, ResultOfFailedOrStoppedJobMayBeReplaced) {
  for (const char* state : {"failed", "stopped"}) {
    Publish(state);
    EXPECT_TRUE(Check()) << state;
  }
}

TEST_F(ExistingResultTest, OwnManifestIsNoConflict) {
  Publish("succeeded");
  EXPECT_TRUE(Check(/*own=*/true));
}

TEST_F(ExistingResultTest, UnreadableManifestIsAConflict) {
  for (const char* text : {"", "{", "[]", "{}", "of an earlier job"}) {
    Write(text);
    EXPECT_FALSE(Check(/*own=*/true)) << text;
  }
}

}  // namespace
}  // namespace muster::launcher
