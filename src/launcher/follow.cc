#include "launcher/follow.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <set>
#include <utility>

#include <fmt/format.h>

namespace muster::launcher {
namespace {

constexpr int64_t kTickMs = 200;
constexpr int kTicksASecond = 5;

void AppendTo(os::Fd& file, const os::Path& path, const std::string& line) {
  if (!file) {
    auto opened = os::Open(path, O_WRONLY | O_CREAT | O_APPEND);
    if (!opened) return;
    file = std::move(*opened);
  }
  if (!os::WriteAll(file.get(), line)) file.Reset();  // a next line tries with a new descriptor
}

}  // namespace

void Follower::Start() {
  // The ranks of a role tell the same story; the first one of each is read.
  std::set<std::string> roles;
  for (const auto& rank : order_.ranks) {
    const bool first = roles.insert(rank.role).second;
    auto file = os::Open(order_.LogPath(rank.rank), O_RDONLY);
    if (!file) continue;
    Log& log = logs_.emplace_back();
    log.path = order_.LogPath(rank.rank);
    log.file = std::move(*file);
    if (first || rank.rank == 0) log.series.emplace(rank.rank);
  }
  if (!logs_.empty()) timer_ = loop_.After(kTickMs, [this] { Tick(); });
}

void Follower::Finish() {
  loop_.Cancel(std::exchange(timer_, 0));
  LookAtSizes();
  LookAtNumbers(Look::kLast);
  logs_.clear();
}

void Follower::Tick() {
  timer_ = loop_.After(kTickMs, [this] { Tick(); });
  LookAtSizes();
  if (++ticks_ % kTicksASecond == 0) LookAtNumbers(Look::kOneOfMany);
}

void Follower::LookAtSizes() {
  for (auto& log : logs_) {
    struct stat now{};
    if (fstat(log.file.get(), &now) != 0 || now.st_size == log.size) continue;
    log.size = now.st_size;
    AppendTo(log.index, os::Path(log.path).replace_extension(".idx"),
             fmt::format("{} {}\n", loop_.clock().WallMs(), log.size));
  }
}

void Follower::LookAtNumbers(Look look) {
  for (auto& log : logs_) {
    if (!log.series) continue;
    log.series->Look(log.file.get(), log.size);
    if (look == Look::kLast) log.series->Close();
    if (const auto line = log.series->TakeLine(loop_.clock().WallMs()))
      AppendTo(series_, os::Path(order_.dir) / "series", *line);
  }
}

}  // namespace muster::launcher
