#include "cli/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "base/text.h"
#include "os/spawn.h"

namespace muster::cli {
namespace {

constexpr int kTimeLimitMs = 20'000;  // the first import of torch from a slow disk takes seconds

}  // namespace

ProgramOutput RunProgram(std::vector<std::string> argv) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const os::Fd read_end(ends[0]);
  os::Fd write_end(ends[1]);
  os::SpawnOptions options;
  options.argv = std::move(argv);
  for (char** entry = environ; *entry; ++entry) options.env.emplace_back(*entry);
  options.stdout_fd = write_end.get();
  auto child = os::Spawn(options);
  write_end.Reset();
  if (!child) return {};
  pollfd ended{child->pidfd.get(), POLLIN, 0};
  ProgramOutput output;
  const bool in_time = poll(&ended, 1, kTimeLimitMs) > 0;
  if (!in_time) kill(-child->pid, SIGKILL);
  int status = 0;
  waitpid(child->pid, &status, 0);
  if (!in_time) return {};
  output.status = status;
  char buffer[4096];
  const ssize_t got = read(read_end.get(), buffer, sizeof buffer);
  if (got > 0) output.text = Printable(Trim(std::string_view(buffer, size_t(got))));
  return output;
}

bool Succeeded(const ProgramOutput& output) {
  return output.status >= 0 && WIFEXITED(output.status) && WEXITSTATUS(output.status) == 0;
}

}  // namespace muster::cli
