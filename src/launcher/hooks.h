#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "launcher/rank_end.h"
#include "launcher/starter.h"
#include "model/order.h"

namespace muster::launcher {

// Runs the node's hooks, one at a time: shell text in the folder of the code, output to hooks.log.
class HookRunner {
 public:
  // Both outlive the runner.
  HookRunner(const NodeOrder& order, const Starter& starter) : order_(order), starter_(starter) {}

  // `name` is for the log: "setup". None may be running.
  Status Start(const std::string& name, const std::string& text);
  // In the folder of the code unless another is named.
  Status StartWords(const std::string& name, std::vector<std::string> argv, os::Path folder = {});
  // How the hook ended, or nothing when the child was none.
  std::optional<ExitReport> Take(const EndedChild& child);
  void Signal(int signal) const;  // to its process group, if it runs
  Environment Begun() const;      // what a hook begins with, beside the mark
  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }

 private:
  const NodeOrder& order_;
  const Starter& starter_;
  pid_t pid_ = -1;
};

}  // namespace muster::launcher
