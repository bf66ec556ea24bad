#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "os/spawn.h"

namespace muster::engines {

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

  // A descriptor of the launcher that now carries out node_dir/order.json: readable when it has
  // ended. None when it has ended already.
  Result<os::Fd> Launch(const std::string& node_dir);

 private:
  Status Start();
  void Drop();
  // Nothing when the nursery has gone.
  Result<os::Fd> Ask(const std::string& node_dir);

  const std::string muster_;
  const std::vector<std::string> env_;
  os::Fd socket_;
  os::Child child_;
};

}  // namespace muster::engines
