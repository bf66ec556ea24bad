#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engines/local/machine_look.h"
#include "os/fd.h"
#include "os/loop.h"

namespace muster::engines {

// A launcher that has been given an order.
struct Launcher {
  pid_t pid = -1;
  os::Fd ended;  // readable when the order is carried out, or the launcher gone

  // Of one that may be given another order over `ended`.
  bool serves = false;
  std::optional<std::string> ground;  // what it is, or becomes by its order (model/order.h)
  int64_t machine = 0;                // how often the machine had changed when it began
};

// Launchers that are done with an order and wait for the next one. Those that nobody wants for a
// few seconds end: their line is cut. On the loop's thread.
class WarmPool {
 public:
  explicit WarmPool(os::Loop& loop) : loop_(loop) {}
  ~WarmPool() { loop_.Cancel(timer_); }
  WarmPool(const WarmPool&) = delete;
  WarmPool& operator=(const WarmPool&) = delete;

  // One that now carries out this request (launcher/warm_launcher.h): one of its ground, or one
  // that can still become it. Nothing when there is none.
  std::optional<Launcher> Take(const std::string& request,
                               const std::optional<std::string>& ground);
  // One whose `ended` is readable; it stays only when it can serve again. True when the launcher
  // itself said that it carried out its order to the end; false when it died, or when its line was
  // never this server's.
  bool GiveBack(Launcher launcher);
  int64_t machine() const { return machine_; }

 private:
  struct Idle {
    Launcher launcher;
    int64_t since_ms = 0;
  };
  std::vector<Idle>::iterator Find(const std::optional<std::string>& ground);
  bool Fits(const Launcher& launcher) const;
  void LookAtMachine();
  void LetGo();

  os::Loop& loop_;
  MachineLook look_;
  int64_t machine_ = 0;  // changes seen
  std::vector<Idle> idle_;
  os::Loop::Id timer_ = 0;
};

}  // namespace muster::engines
