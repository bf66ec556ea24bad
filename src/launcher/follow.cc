#include "launcher/follow.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
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
  if (!os::WriteAll(file.get(), line)) file.Reset();  // the next line opens the file again
}

}  // namespace

void Follower::Start() {
  // The ranks of a role print the same values, so only the log of the first one is read.
  std::set<std::string> roles;
  for (const auto& rank : order_.ranks) {
    const bool first = roles.insert(rank.role).second;
    auto file = os::Open(order_.LogPath(rank.rank), O_RDONLY);
    if (!file) continue;
    logs_.push_back({.path = order_.LogPath(rank.rank),
                     .file = std::move(*file),
                     .index = {},
                     .series = SeriesReader(rank.rank),
                     .metrics = MetricsFile(MetricsPath(order_, rank.rank)),
                     .read_log = first || rank.rank == 0});
  }
  if (!logs_.empty()) timer_ = loop_.After(kTickMs, [this] { Tick(); });
}

void Follower::Finish() {
  loop_.Cancel(std::exchange(timer_, 0));
  LookAtSizes();
  LookAtNumbers(Look::kLast);
  logs_.clear();
}

bool Follower::HasTrained() const {
  return std::ranges::any_of(logs_, [](const Log& log) { return log.series.HasTrained(); });
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
  for (Log& log : logs_) {
    if (log.read_log) log.series.Look(log.file.get(), log.size);
    LookAtReports(log);
    if (look == Look::kLast) log.series.Close();
    if (const auto line = log.series.TakeLine(loop_.clock().WallMs()))
      AppendTo(series_, os::Path(order_.dir) / "series", *line);
    if (auto fault = log.series.TakeFault()) note_(std::move(*fault));
  }
}

void Follower::LookAtReports(Log& log) {
  const MetricsFile::State state = log.metrics.Look();
  if (state.replaced) log.series.ReportsReplaced();
  if (state.file >= 0) log.series.LookAtReports(state.file, state.size);
}

}  // namespace muster::launcher
