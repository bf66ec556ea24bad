#include "cli/start_server.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "os/spawn.h"

namespace muster::cli {
namespace {

constexpr int64_t kWaitMs = 10'000;
constexpr int64_t kAfterExitMs = 2'000;  // for another client's server to become ready
constexpr int kLookEveryMs = 20;

// The server is independent of its starter: variables that mark a process as part of a job are
// removed.
std::vector<std::string> ServerEnvironment() {
  std::vector<std::string> kept;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("MUSTER_") || text.starts_with("MUSTER_DATA=")) kept.emplace_back(text);
  }
  return kept;
}

// The server's output since `from`; its last line has the cause.
std::string LastWords(const os::Path& log, int64_t from) {
  const auto text = os::ReadAt(log, from, 64 << 10);
  if (!text) return {};
  const std::string_view trimmed = Trim(*text);
  return Printable(trimmed.substr(trimmed.rfind('\n') + 1));
}

Result<os::Child> SpawnServer(const os::Path& data, const os::Path& log,
                              const std::vector<std::string>& flags) {
  MUSTER_ASSIGN(const os::Fd out, os::Open(log, O_WRONLY | O_CREAT | O_APPEND, 0600));
  os::SpawnOptions options;
  options.argv = {os::SelfPath().string(), "server", "--data", data.string()};
  options.argv.insert(options.argv.end(), flags.begin(), flags.end());
  options.env = ServerEnvironment();
  options.cwd = "/";
  options.stdout_fd = out.get();
  return os::Spawn(options);
}

}  // namespace

Result<Endpoint> StartServer(const os::Path& data,
                             const std::function<bool(const Endpoint&)>& answers,
                             const std::vector<std::string>& flags) {
  std::error_code error;
  const os::Path absolute = std::filesystem::absolute(data, error);
  MUSTER_TRY(os::MakeDirs(absolute, 0700));
  const os::Path log = absolute / "server.log";
  const int64_t log_began = os::FileSize(log).value_or(0);
  MUSTER_ASSIGN(const os::Child child, SpawnServer(absolute, log, flags));

  const SystemClock clock;
  int64_t deadline = clock.SteadyMs() + kWaitMs;
  bool exited = false;
  while (clock.SteadyMs() < deadline) {
    if (const auto endpoint = ReadEndpoint(absolute); endpoint && answers(*endpoint))
      return *endpoint;
    pollfd ended{child.pidfd.get(), POLLIN, 0};
    const bool ended_now = poll(&ended, exited ? 0 : 1, kLookEveryMs) > 0;
    if (ended_now && !exited) {
      exited = true;
      deadline = std::min(deadline, clock.SteadyMs() + kAfterExitMs);
    }
  }
  const std::string words = LastWords(log, log_began);
  return Fail(Code::kUnavailable,
              fmt::format("started a server for {}, but it {}{}{}", absolute.string(),
                          exited ? "ended at once" : "was not ready within 10 s",
                          words.empty() ? "" : ": ", words),
              fmt::format("look into {}, or run it by hand: muster server --data {}", log.string(),
                          ShellQuote(absolute.string())));
}

}  // namespace muster::cli
