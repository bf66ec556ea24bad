#include "launcher/shipper.h"

#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "model/publication.h"
#include "os/file.h"

namespace muster::launcher {
namespace {

constexpr int64_t kPauseMs = 1000;
constexpr int kMostStarts = 100;

}  // namespace

void Shipper::Start() {
  const bool needed = std::ranges::any_of(order_.files, [&](const OrderFile& file) {
    return os::Path(file.path) == os::Path(order_.dir) / kMeanwhileFile;
  });
  if (!needed || ended_) return;
  if (const auto status = Spawn(); !status)
    LogWarning("nothing is copied while the ranks run: {}", status.error().text);
}

Status Shipper::Spawn() {
  ++starts_;
  MUSTER_ASSIGN(const os::Fd log,
                os::Open(os::Path(order_.dir) / "meanwhile.log", O_WRONLY | O_CREAT | O_APPEND));
  // This name refers to the executable in any view of the file system.
  Starter::Command command{.argv = {"/proc/self/exe", "launch", "--meanwhile", order_.dir},
                           .env = hooks_.Begun(),
                           .cwd = order_.dir};
  command.stdout_fd = log.get();
  MUSTER_ASSIGN(const os::Child child, starter_.Start(std::move(command)));
  pid_ = child.pid;
  return {};
}

bool Shipper::Take(const EndedChild& child) {
  if (child.pid != pid_) return false;
  pid_ = -1;
  if (!ended_ && starts_ < kMostStarts) timer_ = loop_.After(kPauseMs, [this] { Start(); });
  return true;
}

bool Shipper::End() {
  ended_ = true;
  loop_.Cancel(std::exchange(timer_, 0));
  if (running()) killpg(pid_, SIGKILL);
  return running();
}

}  // namespace muster::launcher
