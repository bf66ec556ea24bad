#include "launcher/warm_launcher.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <string>

#include "base/log.h"
#include "base/log_file.h"
#include "launcher/launcher.h"
#include "os/fd.h"
#include "os/packet.h"

namespace muster::launcher {
namespace {

// What a process has gathered over so many orders goes with it.
constexpr int kMostOrders = 1000;

void Show(std::span<char> title, const std::string& text) {
  if (text.size() >= title.size()) return;  // a cut path would name another folder
  std::ranges::fill(title, '\0');
  std::ranges::copy(text, title.begin());
}

void UnblockSignals() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// As a program started in a session of its own finds itself: nothing of the nursery is left but
// this descriptor.
os::Fd Detach(int line) {
  constexpr int kFirst = STDERR_FILENO + 1;
  setsid();
  UnblockSignals();
  os::Fd kept(line == kFirst ? line : dup3(line, kFirst, O_CLOEXEC));
  close_range(unsigned(kFirst + 1), ~0U, 0);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
  close(null);
  return kept;
}

// A sanitizer writes to standard error without asking anybody.
#if defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

// The node's folder, where the launcher says what it has to say.
os::Fd EnterNode(std::span<char> title, const std::string& node_dir) {
  Show(title, std::string("--order") + '\0' + node_dir);
  // CarryOut says what is wrong with the folder.
  if (chdir(node_dir.c_str()) != 0) return {};
  os::Fd folder(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  LogIntoFileOf(folder.get(), "launcher.log");
  if (kSanitized) LogInfo("launcher {} begins", getpid());
  return folder;
}

// Whoever looks at this process now finds nothing of the node that it served.
bool LeaveNode(std::span<char> title) {
  LogIntoFileOf(-1, "");
  dup2(STDIN_FILENO, STDOUT_FILENO);
  dup2(STDIN_FILENO, STDERR_FILENO);
  Show(title, "--idle");
  UnblockSignals();  // a signal to end that came too late for the node ends this process here
  return chdir("/") == 0;
}

// Empty when nobody gives any more.
std::string ReceiveOrder(int line) {
  std::array<char, PATH_MAX> path{};
  ssize_t got = 0;
  do {
    got = recv(line, path.data(), path.size(), 0);
  } while (got < 0 && errno == EINTR);
  return {path.data(), size_t(std::max<ssize_t>(got, 0))};
}

}  // namespace

void BeLauncher(std::span<char> title, const std::string& node_dir, int line) {
  const os::Fd mine = Detach(line);
  Footing footing;
  std::string order = node_dir;
  for (int count = 1;; ++count) {
    os::Fd folder = EnterNode(title, order);
    const LauncherEnd end = CarryOut(order, footing);
    if (end.spent || count == kMostOrders || !LeaveNode(title)) _exit(end.code);
    folder.Reset();
    if (!os::SendPacket(mine.get(), 0, -1)) _exit(end.code);
    order = ReceiveOrder(mine.get());
    if (order.empty()) _exit(end.code);
  }
}

}  // namespace muster::launcher
