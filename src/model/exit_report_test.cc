#include "model/exit_report.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace muster {
namespace {

int WaitStatusOf(void (*child)()) {
  const pid_t pid = fork();
  if (pid == 0) {
    child();
    _exit(99);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

TEST(ExitReportTest, CodesAndSignalsAreDistinct) {
  const ExitReport code = FromWaitStatus(WaitStatusOf([] { _exit(137); }));
  EXPECT_EQ(code.how, ExitClass::kExitCode);
  EXPECT_EQ(code.code, 137);
  EXPECT_EQ(code.signal, 0);
  const ExitReport signal = FromWaitStatus(WaitStatusOf([] { raise(SIGKILL); }));
  EXPECT_EQ(signal.how, ExitClass::kSignal);
  EXPECT_EQ(signal.signal, SIGKILL);
  EXPECT_EQ(signal.code, 0);
}

TEST(ExitReportTest, EveryExitCodeIsKept) {
  for (int code = 0; code < 256; ++code) {
    const ExitReport report = FromWaitStatus(code << 8);
    EXPECT_EQ(report.code, code);
    EXPECT_EQ(report.how, code == 0 ? ExitClass::kSucceeded : ExitClass::kExitCode);
    EXPECT_EQ(ShellExitCode(report), code);
  }
}

TEST(ExitReportTest, JsonRoundTrips) {
  ExitReport report;
  report.how = ExitClass::kStopped;
  report.code = 3;
  report.signal = 15;
  report.core_dumped = true;
  report.stopped_by = StoppedBy::kPreemption;
  report.killed_below = 9;
  report.detail = "why";
  report.cpu_ms = 12;
  report.peak_rss = 4096;
  EXPECT_EQ(ExitReportFromJson(ToJsonObject(report)), report);
}

TEST(ExitReportTest, EveryClassHasATextAndAName) {
  std::vector<std::string> texts;
  for (int i = 0; i <= int(ExitClass::kStopped); ++i) {
    ExitReport report;
    report.how = ExitClass(i);
    report.code = i == int(ExitClass::kExitCode) ? 1 : 0;
    report.signal = i == int(ExitClass::kSignal) ? 11 : 0;
    for (const auto& text : texts) EXPECT_NE(text, Describe(report));
    texts.push_back(Describe(report));
    EXPECT_EQ(ExitReportFromJson(ToJsonObject(report)).how, report.how);
  }
  EXPECT_EQ(texts[size_t(ExitClass::kSignal)], "was killed by SIGSEGV");
}

TEST(ExitReportTest, ShellCodesFollowConvention) {
  ExitReport report{.how = ExitClass::kSignal, .signal = SIGSEGV};
  EXPECT_EQ(ShellExitCode(report), 139);
  EXPECT_EQ(ShellExitCode({.how = ExitClass::kTimedOut}), 124);
  EXPECT_EQ(ShellExitCode({.how = ExitClass::kOutOfMemory}), 137);
  EXPECT_EQ(ShellExitCode({.how = ExitClass::kCouldNotStart}), 127);
  EXPECT_EQ(ShellExitCode({.how = ExitClass::kStopped, .stopped_by = StoppedBy::kUser}), 130);
}

}  // namespace
}  // namespace muster
