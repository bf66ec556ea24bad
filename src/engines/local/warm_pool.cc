#include "engines/local/warm_pool.h"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "os/packet.h"

namespace muster::engines {
namespace {

constexpr size_t kMost = 256;
constexpr int64_t kIdleMs = 5000;
constexpr int kServesAgain = 0;  // what a launcher says of itself when an order is carried out

}  // namespace

bool WarmPool::Fits(const Launcher& launcher) const {
  const bool is_machine = launcher.ground && launcher.ground->empty();
  return launcher.serves && (is_machine || launcher.machine == machine_);
}

void WarmPool::LookAtMachine() {
  if (!look_.Changed()) return;
  ++machine_;
  std::erase_if(idle_, [this](const Idle& one) { return !Fits(one.launcher); });
}

// The one that came last: what it needs is still at hand, and the others may end.
std::vector<WarmPool::Idle>::iterator WarmPool::Find(const std::optional<std::string>& ground) {
  const auto last = [&](const std::optional<std::string>& wanted) {
    auto one = idle_.end();
    while (one != idle_.begin())
      if ((--one)->launcher.ground == wanted) return one;
    return idle_.end();
  };
  const auto same = ground ? last(ground) : idle_.end();
  return same != idle_.end() ? same : last("");
}

std::optional<Launcher> WarmPool::Take(const std::string& request,
                                       const std::optional<std::string>& ground) {
  LookAtMachine();
  while (true) {
    const auto one = Find(ground);
    if (one == idle_.end()) return std::nullopt;
    Launcher launcher = std::move(one->launcher);
    idle_.erase(one);
    const ssize_t sent = ::send(launcher.ended.get(), request.data(), request.size(), MSG_NOSIGNAL);
    if (sent != ssize_t(request.size())) continue;  // it is gone
    launcher.ground = ground;
    launcher.machine = machine_;
    return launcher;
  }
}

bool WarmPool::GiveBack(Launcher launcher) {
  if (!launcher.serves) return false;
  const auto said = os::ReceivePacket(launcher.ended.get());
  if (!said) return false;
  LookAtMachine();
  if (said->number != kServesAgain || !Fits(launcher) || idle_.size() >= kMost) return true;
  idle_.push_back({std::move(launcher), loop_.clock().SteadyMs()});
  if (timer_ == 0) timer_ = loop_.After(kIdleMs, [this] { LetGo(); });
  return true;
}

void WarmPool::LetGo() {
  timer_ = 0;
  const int64_t latest_ms = loop_.clock().SteadyMs() - kIdleMs;
  std::erase_if(idle_, [&](const Idle& one) { return one.since_ms <= latest_ms; });
  if (idle_.empty()) return;
  timer_ = loop_.After(idle_.front().since_ms - latest_ms, [this] { LetGo(); });
}

}  // namespace muster::engines
