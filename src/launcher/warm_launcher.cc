#include "launcher/warm_launcher.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/log_file.h"
#include "launcher/launcher.h"
#include "os/fd.h"
#include "os/packet.h"

namespace muster::launcher {
namespace {

// What a process has gathered over so many orders goes with it.
constexpr int kMostOrders = 1000;

struct Order {
  std::string node_dir;
  os::Fd ended;  // closed when it is carried out
};

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
// these two descriptors.
std::pair<os::Fd, os::Fd> Detach(int orders, int ended) {
  constexpr int kFirst = STDERR_FILENO + 1;
  setsid();
  UnblockSignals();
  // Out of the way first: each may lie where the other will be.
  const int high_orders = orders < 0 ? -1 : fcntl(orders, F_DUPFD, 100);
  const int high_ended = fcntl(ended, F_DUPFD, 100);
  std::pair<os::Fd, os::Fd> kept;
  kept.first = os::Fd(dup3(high_ended, kFirst, O_CLOEXEC));
  if (high_orders >= 0) kept.second = os::Fd(dup3(high_orders, kFirst + 1, O_CLOEXEC));
  close_range(unsigned(kFirst + (high_orders >= 0 ? 2 : 1)), ~0U, 0);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
  close(null);
  return {std::move(kept.second), std::move(kept.first)};
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

std::optional<Order> ReceiveOrder(int orders) {
  std::array<char, PATH_MAX> path{};
  ssize_t got = 0;
  do {
    got = recv(orders, path.data(), path.size(), 0);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return std::nullopt;
  auto packet = os::ReceivePacket(orders);
  if (!packet || !packet->fd) return std::nullopt;
  return Order{std::string(path.data(), size_t(got)), std::move(packet->fd)};
}

}  // namespace

bool SendOrder(int orders, const std::string& node_dir, int ended) {
  const ssize_t sent = send(orders, node_dir.data(), node_dir.size(), MSG_NOSIGNAL);
  return sent == ssize_t(node_dir.size()) && os::SendPacket(orders, 0, ended);
}

void BeLauncher(std::span<char> title, const std::string& node_dir, int orders, int ended) {
  auto [next, done] = Detach(orders, ended);
  Order order{node_dir, std::move(done)};
  Footing footing;
  for (int count = 1;; ++count) {
    os::Fd folder = EnterNode(title, order.node_dir);
    const LauncherEnd end = CarryOut(order.node_dir, footing);
    if (end.spent || !next || count == kMostOrders || !LeaveNode(title)) _exit(end.code);
    folder.Reset();
    // First to the nursery: whoever hears of the end has perhaps the next order at hand.
    if (!os::SendPacket(next.get(), 0, -1)) _exit(end.code);
    order.ended.Reset();
    auto another = ReceiveOrder(next.get());
    if (!another) _exit(end.code);
    order = std::move(*another);
  }
}

}  // namespace muster::launcher
