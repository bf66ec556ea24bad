#include "launcher/hooks.h"

#include <fcntl.h>
#include <signal.h>

#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "launcher/stage.h"
#include "os/file.h"

namespace muster::launcher {

Environment HookRunner::Begun() const {
  Environment env = starter_.inherited();
  env.Set(order_.env);
  return env;
}

Status HookRunner::Start(const std::string& name, const std::string& text) {
  return StartWords(name, {"/bin/sh", "-c", text});
}

Status HookRunner::StartWords(const std::string& name, std::vector<std::string> argv,
                              os::Path folder) {
  MUSTER_ASSIGN(const os::Fd log,
                os::Open(os::Path(order_.dir) / "hooks.log", O_WRONLY | O_CREAT | O_APPEND));
  if (const auto status = os::WriteAll(log.get(), fmt::format("--- {}\n", name)); !status)
    LogWarning("hooks.log has no heading for {}: {}", name, status.error().text);
  if (folder.empty()) folder = HookFolder(order_);
  Starter::Command command{.argv = std::move(argv), .env = Begun(), .cwd = std::move(folder)};
  command.stdout_fd = log.get();
  MUSTER_ASSIGN(const os::Child child, starter_.Start(std::move(command)));
  pid_ = child.pid;
  return {};
}

std::optional<ExitReport> HookRunner::Take(const EndedChild& child) {
  if (child.pid != pid_) return std::nullopt;
  pid_ = -1;
  return JudgeEnd(child, {});
}

void HookRunner::Signal(int signal) const {
  if (running()) killpg(pid_, signal);
}

}  // namespace muster::launcher
