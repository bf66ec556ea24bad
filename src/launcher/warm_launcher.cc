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
#include "launcher/process_title.h"
#include "launcher/supervisor.h"
#include "os/fd.h"
#include "os/packet.h"

namespace muster::launcher {
namespace {

// A process does not live for ever: what leaks in it goes with it.
constexpr int kMostOrders = 1000;
constexpr int kServesAgain = 0, kEndsNow = 1;  // on the line, when an order was carried out

void UnblockSignals() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Leaves nothing of the nursery in this process but one descriptor, and starts a session.
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

// A sanitizer writes to standard error directly.
#if defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

// Works in the node's folder, where launcher.log is.
os::Fd EnterNode(std::span<char> title, const LaunchRequest& request) {
  const std::string& node_dir = request.node_dir;
  AnnounceNode(request.group, node_dir);
  (void)ShowTitle(title, {"launch", "--order", node_dir});
  // CarryOut reports what is wrong with the folder.
  if (chdir(node_dir.c_str()) != 0) return {};
  os::Fd folder(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  LogIntoFileOf(folder.get(), "launcher.log");
  if (kSanitized) LogInfo("launcher {} begins", getpid());
  return folder;
}

// The process shows nothing of the node any more.
bool LeaveNode(std::span<char> title) {
  LogIntoFileOf(-1, "");
  dup2(STDIN_FILENO, STDOUT_FILENO);
  dup2(STDIN_FILENO, STDERR_FILENO);
  (void)ShowTitle(title, {"launch", "--idle"});
  // A termination signal that arrived too late for the node ends this process here.
  UnblockSignals();
  return chdir("/") == 0;
}

// Empty when the server has closed the line.
std::string ReceiveOrder(int line) {
  std::array<char, kLargestRequest> request{};
  ssize_t got = 0;
  do {
    got = recv(line, request.data(), request.size(), 0);
  } while (got < 0 && errno == EINTR);
  return {request.data(), size_t(std::max<ssize_t>(got, 0))};
}

// Tells the server that the order was carried out to its end, proof included. A job's processes
// cannot say this: they do not have the line.
bool SayDone(int line, bool serves_again) {
  return os::SendPacket(line, serves_again ? kServesAgain : kEndsNow, -1);
}

}  // namespace

LaunchRequest ParseLaunchRequest(const std::string& packet) {
  const size_t end = std::min(packet.find('\0'), packet.size());
  return {packet.substr(0, end), end < packet.size() ? packet.substr(end + 1) : ""};
}

void BeLauncher(std::span<char> title, const std::string& first, int line) {
  const os::Fd mine = Detach(line);
  Footing footing;
  std::string order = first;
  for (int count = 1;; ++count) {
    const LaunchRequest request = ParseLaunchRequest(order);
    os::Fd folder = EnterNode(title, request);
    const LauncherEnd end = CarryOut(request.node_dir, footing);
    if (end.code != 0) _exit(end.code);
    const bool serves_again = !end.spent && count < kMostOrders && LeaveNode(title);
    folder.Reset();
    // Without a server the announcement stays, and the supervisor reports the good end.
    if (end.carried_out && !SayDone(mine.get(), serves_again)) _exit(0);
    AnnounceNode("", "");
    if (!end.carried_out || !serves_again) _exit(0);
    order = ReceiveOrder(mine.get());
    if (order.empty()) _exit(0);
  }
}

}  // namespace muster::launcher
