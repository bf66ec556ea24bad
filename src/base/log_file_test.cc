#include "base/log_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "base/log.h"

namespace muster {
namespace {

class LogFileTest : public testing::Test {
 protected:
  LogFileTest() {
    std::string name = testing::TempDir() + "muster-log-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~LogFileTest() override { std::filesystem::remove_all(folder_); }

  // Runs in a child process, because it replaces standard error.
  [[noreturn]] void Say(bool warning, bool taken_back) const {
    const int folder = ::open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    LogIntoFileOf(folder, "it.log");
    if (taken_back) LogIntoFileOf(-1, "");
    if (warning) LogWarning("first");
    if (warning) LogWarning("second");
    ::_exit(0);
  }
  std::string Text() const {
    std::ifstream file(folder_ / "it.log");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::filesystem::path folder_;
};

TEST_F(LogFileTest, NoMessageCreatesNoFile) {
  EXPECT_EXIT(Say(false, false), testing::ExitedWithCode(0), "");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "it.log"));
}

TEST_F(LogFileTest, FirstAndAllLaterLinesAreInTheFile) {
  EXPECT_EXIT(Say(true, false), testing::ExitedWithCode(0), "");
  EXPECT_NE(Text().find("warning first\n"), std::string::npos);
  EXPECT_NE(Text().find("warning second\n"), std::string::npos);
}

TEST_F(LogFileTest, CancelRestoresStandardError) {
  EXPECT_EXIT(Say(true, true), testing::ExitedWithCode(0), "warning first");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "it.log"));
}

}  // namespace
}  // namespace muster
