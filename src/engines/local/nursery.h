#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "os/spawn.h"

namespace muster::engines {

// A launcher that has been given an order.
struct Launcher {
  pid_t pid = -1;
  os::Fd ended;  // readable when the order is carried out, or the launcher gone
};

// The engine's side of `muster launch --nursery`, the process that forks launchers. Started with
// the first launcher and again when it was killed. On the loop's thread: a launch holds it for as
// long as a fork takes.
class Nursery {
 public:
  Nursery(std::string muster, std::vector<std::string> env)
      : muster_(std::move(muster)), env_(std::move(env)) {}
  ~Nursery();
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;

  // The launcher that now carries out node_dir/order.json, which has this ground.
  Result<Launcher> Launch(const std::string& node_dir, const std::optional<std::string>& ground);

 private:
  Status Start();
  void Drop();
  // Nothing when the nursery has gone.
  Result<Launcher> Ask(const std::string& request);

  const std::string muster_;
  const std::vector<std::string> env_;
  os::Fd socket_;
  os::Child child_;
};

}  // namespace muster::engines
