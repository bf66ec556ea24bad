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

// Runs the node's hooks, one at a time: shell text in the code folder, with output to hooks.log.
class HookRunner {
 public:
  // Both outlive the runner.
  HookRunner(const NodeOrder& order, const Starter& starter) : order_(order), starter_(starter) {}

  // `name` is for the log: "setup". No hook may be running.
  Status Start(const std::string& name, const std::string& text);
  // Runs in the code folder unless another folder is given.
  Status StartWords(const std::string& name, std::vector<std::string> argv, os::Path folder = {});
  // The end of the hook; nothing if the child is not the hook.
  std::optional<ExitReport> Take(const EndedChild& child);
  void Signal(int signal) const;  // sends the signal to its process group, if it runs
  Environment Begun() const;      // the environment of a hook, except the mark
  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }

 private:
  const NodeOrder& order_;
  const Starter& starter_;
  pid_t pid_ = -1;
};

}  // namespace muster::launcher
