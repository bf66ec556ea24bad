#include "launcher/signals.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <cerrno>

#include "base/log.h"

namespace muster::launcher {
namespace {

sigset_t TakenSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, SIGTERM);
  return set;
}

int64_t Milliseconds(const timeval& time) {
  return int64_t(time.tv_sec) * 1000 + time.tv_usec / 1000;
}

}  // namespace

Status PrepareProcess() {
  for (const int ignored : {SIGHUP, SIGPIPE, SIGINT, SIGXFSZ}) signal(ignored, SIG_IGN);
  // If SIGCHLD were ignored, the kernel would reap the ranks itself.
  signal(SIGCHLD, SIG_DFL);
  const sigset_t taken = TakenSignals();
  if (sigprocmask(SIG_BLOCK, &taken, nullptr) != 0) return FailErrno(errno, "block signals");
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return FailErrno(errno, "become the subreaper");
  return {};
}

Signals::Signals(os::Loop& loop, Ended ended, std::function<void()> asked)
    : loop_(loop), ended_(std::move(ended)), asked_(std::move(asked)) {
  const sigset_t taken = TakenSignals();
  fd_ = os::Fd(signalfd(-1, &taken, SFD_NONBLOCK | SFD_CLOEXEC));
  watch_ = loop_.WatchReadable(fd_.get(), [this] { OnReadable(); });
}

Signals::~Signals() { loop_.Unwatch(watch_); }

void Signals::OnReadable() {
  bool asked = false;
  signalfd_siginfo info;
  while (read(fd_.get(), &info, sizeof info) == sizeof info) asked |= info.ssi_signo == SIGTERM;
  Reap();
  if (asked) asked_();
}

void Signals::Reap() {
  std::vector<EndedChild> batch;
  while (true) {
    int status = 0;
    rusage usage{};
    const pid_t pid = wait4(-1, &status, WNOHANG | __WALL, &usage);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) break;
    batch.push_back({pid, status, Milliseconds(usage.ru_utime) + Milliseconds(usage.ru_stime),
                     int64_t(usage.ru_maxrss) * 1024});
  }
  if (!batch.empty()) ended_(batch);
}

}  // namespace muster::launcher
