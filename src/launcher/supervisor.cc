#include "launcher/supervisor.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include "launcher/process_title.h"
#include "os/supervisor.h"
#include "os/sweep.h"

namespace muster::launcher {
namespace {

// Memory that launcher and supervisor share. The launcher writes it before it starts anything.
struct Announcement {
  std::array<char, 256> group;
  std::array<char, PATH_MAX> node_dir;
};
Announcement* announcement = nullptr;

constexpr timespec kLongestPause{0, 200'000'000};
constexpr timespec kReleaseLook{5, 0};
// A launcher that ended by itself wrote its proof into the record as well: ten minutes.
constexpr int kLooksAfterGoodEnd = 120;

template <size_t N>
void Put(std::array<char, N>& to, std::string_view text) {
  to.fill('\0');
  std::ranges::copy(text.substr(0, N - 1), to.begin());
}

// Waits until the launcher has ended, and does not reap it yet: when it has vanished, the report of
// the supervisor is there. Other children that end meanwhile are reaped.
bool LauncherEndedWell(pid_t launcher) {
  while (true) {
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | __WALL) != 0) {
      if (errno == EINTR) continue;
      return false;
    }
    if (info.si_pid == launcher) return info.si_code == CLD_EXITED && info.si_status == 0;
    waitpid(info.si_pid, nullptr, __WALL);
  }
}

// False when no child is left at all.
bool ReapAll() {
  while (true) {
    const pid_t pid = waitpid(-1, nullptr, WNOHANG | __WALL);
    if (pid == 0) return true;
    if (pid < 0 && errno != EINTR) return false;
  }
}

void Report(std::span<char> title, const std::string& group, os::Supervision state,
            os::SweepResult sweep) {
  if (group.empty() || ShowTitle(title, os::SupervisorWords(group, state, sweep))) return;
  sweep.names.clear();
  (void)ShowTitle(title, os::SupervisorWords(group, state, sweep));
}

// A process with no child and no way to get one, since it is the subreaper of all that the launcher
// ever started: the absence of a child proves that no descendant lives.
os::SweepResult KillDescendants() {
  os::Sweeper sweeper({"", "", true});
  timespec pause{0, 1'000'000};
  while (ReapAll()) {
    sweeper.Step();
    if (!ReapAll()) break;
    nanosleep(&pause, nullptr);
    pause.tv_nsec = std::min(pause.tv_nsec * 2, kLongestPause.tv_nsec);
  }
  return sweeper.result();
}

sigset_t ReleaseSignals() {
  sigset_t release;
  sigemptyset(&release);
  sigaddset(&release, SIGTERM);
  return release;
}

// The report stands until a server has taken it, or the job's folder is gone and no server will.
void AwaitRelease(const char* node_dir, int most_looks) {
  const sigset_t release = ReleaseSignals();
  for (int look = 0; look < most_looks && access(node_dir, F_OK) == 0; ++look)
    if (sigtimedwait(&release, nullptr, &kReleaseLook) == SIGTERM) return;
}

void CloseAllFiles() {
  close_range(0, ~0U, 0);
  const int null = open("/dev/null", O_RDWR);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
}

[[noreturn]] void Supervise(std::span<char> title, pid_t launcher) {
  CloseAllFiles();
  (void)ShowTitle(title, {"supervise", std::to_string(launcher)});
  const bool well = LauncherEndedWell(launcher);
  const std::string group(announcement->group.data());
  if (well && group.empty()) _exit(0);
  if (!well) Report(title, group, os::Supervision::kSweeping, {});
  const os::SweepResult sweep = KillDescendants();
  if (group.empty()) _exit(0);
  constexpr timespec kNow{};
  const sigset_t release = ReleaseSignals();
  while (sigtimedwait(&release, nullptr, &kNow) > 0) {  // sent before there was a report
  }
  const bool nothing_left = well && sweep.found == 0;
  Report(title, group, nothing_left ? os::Supervision::kEnded : os::Supervision::kProven, sweep);
  AwaitRelease(announcement->node_dir.data(), nothing_left ? kLooksAfterGoodEnd : INT_MAX);
  _exit(0);
}

}  // namespace

int ForkBelowSupervisor(std::span<char> title, void (*answer)(int pid)) {
  setsid();
  sigset_t all;
  sigfillset(&all);
  void* const shared = mmap(nullptr, sizeof(Announcement), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
      sigprocmask(SIG_BLOCK, &all, nullptr) != 0)
    return -errno;
  announcement = static_cast<Announcement*>(shared);
  const pid_t launcher = fork();
  if (launcher == 0) return 0;
  if (launcher < 0) return -errno;
  answer(launcher);
  Supervise(title, launcher);
}

void AnnounceNode(std::string_view group, std::string_view node_dir) {
  if (announcement == nullptr) return;
  Put(announcement->node_dir, node_dir);
  Put(announcement->group, group);
}

}  // namespace muster::launcher
