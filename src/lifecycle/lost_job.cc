#include "lifecycle/lost_job.h"

#include <fcntl.h>

#include <filesystem>

#include "base/log.h"
#include "model/record.h"

namespace muster::lifecycle {
namespace {

bool HasLauncher(const os::Path& attempt_dir) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(attempt_dir, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    const os::Path record = it->path() / "record";
    if (std::filesystem::exists(record, ignored) && os::IsLocked(record)) return true;
  }
  return false;
}

Status WriteStop(const os::Path& attempt_dir) {
  MUSTER_ASSIGN(const os::Fd control,
                os::Open(attempt_dir / "control", O_WRONLY | O_CREAT | O_APPEND, 0600));
  // The empty line ends what a full disk may have cut off.
  const ControlLine line{.by = StoppedBy::kUser, .detail = "the journal has lost this job"};
  return os::WriteAll(control.get(), "\n" + EncodeControlLine(line));
}

}  // namespace

void StopLostJob(const os::Path& job_dir) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(job_dir / "attempts", error), end;
       !error && it != end; it.increment(error)) {
    if (!HasLauncher(it->path())) continue;
    LogWarning("{} still runs; its launchers are told to stop", it->path().string());
    if (const auto status = WriteStop(it->path()); !status) LogError("{}", status.error().text);
  }
}

}  // namespace muster::lifecycle
