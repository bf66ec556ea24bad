#include "launcher/ranks.h"

#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "launcher/killed_below.h"

namespace muster::launcher {
namespace {

constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;

RankEnded CouldNotStart(int rank, const Error& error) {
  ExitReport report{.how = ExitClass::kCouldNotStart};
  report.code = error.code == Code::kNotFound ? kNotFound : kNotExecutable;
  report.detail = error.next.empty() ? error.text : error.text + "; " + error.next;
  return {rank, std::move(report)};
}

// Bounds the delay that an order can cause.
std::chrono::milliseconds HeadStart(const NodeOrder& order) {
  constexpr int64_t kLongestMs = 1000;
  return std::chrono::milliseconds(std::clamp<int64_t>(order.head_start_ms, 0, kLongestMs));
}

}  // namespace

Result<pid_t> Ranks::Start(const RankOrder& rank) const {
  // Standard output and standard error share one open file, so that their bytes keep their order.
  MUSTER_ASSIGN(const os::Fd log,
                os::Open(order_.LogPath(rank.rank), O_WRONLY | O_CREAT | O_APPEND));
  Starter::Command command{.argv = rank.argv, .env = starter_.inherited(), .cwd = rank.cwd};
  command.env.Set(order_.env);
  command.env.Set(rank.env);
  command.stdout_fd = log.get();
  MUSTER_ASSIGN(const os::Child child, starter_.Start(std::move(command)));
  return child.pid;
}

Ranks::Started Ranks::StartAll() {
  Started started;
  for (const auto& rank : order_.ranks) {
    const auto pid = Start(rank);
    if (!pid) {
      started.failed = CouldNotStart(rank.rank, pid.error());
      break;
    }
    living_.push_back({*pid, &rank});
    const auto process = os::ReadProcess(*pid);
    started.lines.push_back(RankStarted{rank.rank, *pid, process ? process->start_ticks : 0});
    // The launcher has nothing else to do meanwhile, and the wait is short.
    const bool first = &rank == &order_.ranks.front() && order_.ranks.size() > 1;
    if (first) std::this_thread::sleep_for(HeadStart(order_));
  }
  return started;
}

bool Ranks::SawOomKill() {
  const os::Cgroup* group = starter_.group();
  if (group == nullptr) return false;
  const int64_t kills = group->OomKills();
  return std::exchange(oom_kills_, kills) < kills;
}

std::optional<RankEnded> Ranks::Take(const EndedChild& child, EndContext context) {
  const auto it = std::ranges::find(living_, child.pid, &Living::pid);
  if (it == living_.end()) return std::nullopt;
  const int rank = it->rank->rank;
  context.killed_below = it->killed_below;
  living_.erase(it);
  if (child.wait_status != 0) context.oom_kill = SawOomKill();
  return RankEnded{rank, JudgeEnd(child, context)};
}

void Ranks::NoteKilled(const std::vector<os::ProcessInfo>& all) {
  for (auto& rank : living_) rank.killed_below = KilledBelow(all, rank.pid);
}

void Ranks::Signal(int signal) const {
  for (const auto& rank : living_) killpg(rank.pid, signal);
}

void Ranks::Warn(int signal) const {
  for (const auto& rank : living_) {
    const auto below = os::Descendants(rank.pid);
    std::vector<pid_t> ask{rank.pid};
    while (!ask.empty()) {
      const pid_t pid = ask.back();
      ask.pop_back();
      if (os::Catches(pid, signal)) {
        kill(pid, signal);
        continue;  // its children may be about to execute another program
      }
      for (const auto& process : below)
        if (process.ppid == pid) ask.push_back(process.pid);
    }
  }
}

std::set<pid_t> Ranks::Groups() const {
  std::set<pid_t> groups;
  for (const auto& rank : living_) groups.insert(rank.pid);
  return groups;
}

int Ranks::living_working() const {
  return int(std::ranges::count_if(living_, [](const auto& one) { return !one.rank->service; }));
}

}  // namespace muster::launcher
