#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engines/local/warm_pool.h"
#include "os/fd.h"
#include "os/spawn.h"

namespace muster::engines {

// The engine's side of `muster launch --nursery`, the process that forks launchers. Started with
// the first launcher and again when it was killed. On the loop's thread: a launch holds it for as
// long as a fork takes, unless a launcher waits for an order.
class Nursery {
 public:
  Nursery(os::Loop& loop, std::string muster, std::vector<std::string> env)
      : muster_(std::move(muster)), env_(std::move(env)), pool_(loop) {}
  ~Nursery();
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;

  // The launcher that now carries out node_dir/order.json, which has this ground. `group` is the
  // node's group name, under which its supervisor reports when the launcher dies.
  Result<Launcher> Launch(const std::string& node_dir, const std::string& group,
                          const std::optional<std::string>& ground);
  // As WarmPool's.
  bool GiveBack(Launcher launcher) { return pool_.GiveBack(std::move(launcher)); }

 private:
  Status Start();
  void Drop();
  Result<Launcher> Fork(const std::string& request);
  // Nothing when the nursery has gone.
  Result<Launcher> Ask(const std::string& request);

  const std::string muster_;
  const std::vector<std::string> env_;
  os::Fd socket_;
  os::Child child_;
  WarmPool pool_;
};

}  // namespace muster::engines
