#include "launcher/footing.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "launcher/isolate.h"
#include "os/file.h"
#include "os/net.h"
#include "os/process_table.h"
#include "os/supervisor.h"

namespace muster::launcher {
namespace {

constexpr const char* kHostsFile = "/etc/hosts";
constexpr int64_t kLargestHostsFile = 2 << 20;

uint64_t OwnStartTicks() {
  const auto self = os::ReadProcess(getpid());
  return self ? self->start_ticks : 0;
}

}  // namespace

Footing::Footing()
    : machine_(os::HostName()), start_ticks_(OwnStartTicks()), boot_(os::BootIdentity()) {}

bool Footing::Fits(const NodeOrder& order) const {
  return ground_.empty() || ground_ == GroundOf(order);
}

std::vector<std::string> Footing::Take(const NodeOrder& order) {
  if (!ground_.empty()) return {};
  std::vector<std::string> notes = Isolate(order);
  ground_ = GroundOf(order).value_or("");
  if (ground_.empty()) return notes;
  host_ = os::HostName();
  const auto hosts = os::ReadFile(kHostsFile, kLargestHostsFile);
  if (hosts) hosts_file_ = *hosts;
  if (auto mounts = os::Open("/proc/self/mountinfo", O_RDONLY)) mounts_ = std::move(*mounts);
  whole_ = notes.empty() && hosts && mounts_;
  return notes;
}

bool Footing::Holds() const {
  if (ground_.empty()) return true;
  if (!whole_ || os::HostName() != host_) return false;
  pollfd mounts{mounts_.get(), POLLPRI, 0};
  if (::poll(&mounts, 1, 0) != 0) return false;
  const auto hosts = os::ReadFile(kHostsFile, kLargestHostsFile);
  return hosts && *hosts == hosts_file_;
}

}  // namespace muster::launcher
