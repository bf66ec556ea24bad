#include "cli/stage.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/clock.h"
#include "cli/connect.h"
#include "cli/start_server.h"
#include "os/process_table.h"

namespace muster::cli {
namespace {

constexpr int64_t kEndWithinMs = 10'000;
constexpr auto kLookEvery = std::chrono::milliseconds(20);

// The server process is not reaped, so an ended one is still in the process table.
bool Lives(int pid) {
  const auto process = os::ReadProcess(pid);
  return process && os::IsAlive(*process);
}

Result<os::Path> NewFolder() {
  std::error_code error;
  std::string name =
      (std::filesystem::temp_directory_path(error) / "muster-rehearsal-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return FailErrno(errno, "make a folder like " + name);
  const os::Path folder = std::filesystem::canonical(name, error);
  return error ? os::Path(name) : folder;
}

}  // namespace

Result<std::unique_ptr<Stage>> Stage::Open(Context& context, const std::string& nodes) {
  MUSTER_ASSIGN(os::Path folder, NewFolder());
  std::unique_ptr<Stage> stage(new Stage(std::move(folder)));
  MUSTER_ASSIGN(const Endpoint endpoint,
                // If this client is killed at any instant, neither server nor jobs remain.
                StartServer(stage->folder_, [](const Endpoint&) { return true; },
                            {"--nodes", nodes, "--owner", std::to_string(::getpid())}));
  stage->pid_ = endpoint.pid;
  Args args;
  args.Set("data", stage->folder_.string());
  MUSTER_ASSIGN(stage->api_, ConnectOnly(context, args));
  return stage;
}

Stage::~Stage() {
  const bool asked = api_ && api_->Post("/shutdown", nullptr);
  if (!asked && pid_ > 0) (void)::kill(pid_, SIGTERM);  // already ended
  const SystemClock clock;
  const int64_t deadline = clock.SteadyMs() + kEndWithinMs;
  while (pid_ > 0 && Lives(pid_) && clock.SteadyMs() < deadline)
    std::this_thread::sleep_for(kLookEvery);
  if (!keep_) (void)os::RemoveTree(folder_);
}

}  // namespace muster::cli
