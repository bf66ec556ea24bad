#include "api/log_stream.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "api/answers.h"

namespace muster::api {
namespace {

constexpr size_t kBudget = 64 << 10;  // approximate bytes per Read
constexpr size_t kSlice = 16 << 10;   // bytes of one rank before the next rank's turn
constexpr size_t kOpenFiles = 64;     // above this number of ranks, files are not kept open
constexpr int64_t kTailLookBack = 1 << 20;
// Programs may write a line and its end separately: an incomplete line waits this long for its end.
// Also the interval of polling for a missing folder.
constexpr int64_t kPatienceMs = 200;
constexpr int64_t kReasonMs = 5000;  // between two looks at the reason why a job waits

int ExitCodeOf(const Job& job) {
  if (const Attempt* last = job.current(); last && last->exit) return ShellExitCode(*last->exit);
  ExitReport report;  // the job ended before any attempt
  report.how = job.state == State::kStopped ? ExitClass::kStopped : ExitClass::kCouldNotStart;
  report.stopped_by = job.state == State::kStopped ? StoppedBy::kUser : StoppedBy::kNobody;
  return job.state == State::kSucceeded ? 0 : ShellExitCode(report);
}

}  // namespace

LogStream::LogStream(StreamParts parts, LogStreamOptions options)
    : parts_(parts), options_(std::move(options)) {
  if (!options_.follow) return;
  events_ = parts_.jobs.OnEvents(options_.job, [this] {
    stale_ = true;
    Ring();
  });
}

LogStream::~LogStream() {
  if (events_ != 0) parts_.jobs.Unwatch(events_);
  for (const os::Loop::Id timer : {timer_, reason_timer_})
    if (timer != 0) parts_.loop.Cancel(timer);
  DropWatches();
}

std::string LogStream::KeepAlive() { return std::string(kSseComment); }

http::Stream::Next LogStream::Read(std::string& out) {
  out.clear();
  waiting_ = false;
  while (!done_) {
    // The job is looked up before the files are read, so that no byte of an ended job is missed.
    if (stale_) Look(out);
    if (!done_) AppendState(out);
    if (!done_) AppendProgress(out);
    if (!done_) AppendLogs(out);
    if (!out.empty()) return Next::kData;
    if (done_) break;
    if (over_ && MoveOn()) continue;
    if (over_ && (view_.terminal || options_.attempt)) {
      AppendEnd(out);
      return out.empty() ? Next::kEnd : Next::kData;
    }
    if (!options_.follow) break;
    if (AddWatches()) continue;
    if (view_.state == State::kQueued && reason_timer_ == 0)
      reason_timer_ = parts_.loop.After(kReasonMs, [this] { OnReasonTimer(); });
    waiting_ = true;
    return Next::kWait;
  }
  done_ = true;
  return Next::kEnd;
}

void LogStream::Look(std::string& out) {
  stale_ = false;
  const Result<Job> job = parts_.jobs.Find(options_.job);
  if (!job && job.error().code != Code::kNotFound) return Fail(job.error(), out);
  if (!job) {  // removed during the read
    done_ = true;
    return;
  }
  const int latest = job->current() ? job->current()->number : 0;
  view_ = {job->state, job->reason, ExitCodeOf(*job), latest, IsTerminal(job->state)};
  if (attempt_ == 0 && options_.attempt) attempt_ = *options_.attempt;
  if (attempt_ == 0 && options_.resume) attempt_ = options_.resume->attempt;
  if (attempt_ == 0) attempt_ = latest;
  const Attempt* attempt = FindAttempt(*job, attempt_);
  if (attempt != nullptr) AddRanks(*attempt);
  if (attempt != nullptr ? IsOver(*job, *attempt) : view_.terminal) SetOver();
}

void LogStream::AddRanks(const Attempt& attempt) {
  for (const RankInfo& info : attempt.ranks) {
    if (!IsChosen(info.rank)) continue;
    if (!known_ranks_.insert(info.rank).second) continue;
    const os::Path dir = parts_.jobs.NodeDir(options_.job, attempt.number, info.node);
    ranks_.push_back({.rank = info.rank,
                      .file = LogFile(dir / fmt::format("rank{}.log", info.rank)),
                      .index = LogIndex(dir / fmt::format("rank{}.idx", info.rank))});
    if (known_nodes_.insert(info.node).second)
      series_.push_back({.series = Series(dir / "series")});
  }
}

void LogStream::SetOver() {
  if (over_) return;
  over_ = true;
  DropWatches();
  for (RankLog& log : ranks_) log.ready = true;
  for (NodeSeries& node : series_) node.ready = true;
}

bool LogStream::MoveOn() {
  if (options_.attempt || attempt_ >= view_.latest) return false;
  DropWatches();
  ranks_.clear();
  series_.clear();
  known_ranks_.clear();
  known_nodes_.clear();
  next_ = 0;
  over_ = false;
  first_attempt_ = false;
  ++attempt_;
  stale_ = true;
  return true;
}

void LogStream::AppendState(std::string& out) {
  if (sent_ && sent_->state == view_.state && sent_->reason == view_.reason) return;
  sent_ = view_;
  const json::object data{{"state", Name(view_.state)}, {"reason", view_.reason}};
  AppendEvent(out, "state", "", ToJson(data));
}

void LogStream::AppendProgress(std::string& out) {
  for (NodeSeries& node : series_) {
    if (!node.ready || out.size() >= kBudget) continue;
    const LatestValues latest = node.series.Read(node.ready);
    if (!node.ready && series_.size() > kOpenFiles) node.series.Close();
    for (const auto& [rank, values] : latest) {
      if (!IsChosen(rank)) continue;
      AppendEvent(out, "progress", "", ToJson(ProgressJson(attempt_, rank, values)));
    }
  }
}

void LogStream::AppendLogs(std::string& out) {
  for (size_t idle = 0; idle < ranks_.size() && out.size() < kBudget && !done_;) {
    RankLog& log = ranks_[next_++ % ranks_.size()];
    idle = log.ready && AppendSlice(log, out) ? 0 : idle + 1;
  }
}

bool LogStream::AppendSlice(RankLog& log, std::string& out) {
  std::string bytes;
  int64_t wall_ms = 0, limit = kSlice;
  Status status = Place(log);
  bool seen = false;  // the index has the time of these bytes
  if (status && options_.times) {
    const auto entry = log.index.At(*log.offset);
    if (!entry) status = std::unexpected(entry.error());
    seen = entry && entry->has_value();
    wall_ms = seen ? (*entry)->wall_ms : parts_.loop.clock().WallMs();
    if (seen) limit = std::min(limit, (*entry)->size - *log.offset);
  }
  limit = std::min(limit, log.end - log.offset.value_or(0));
  if (status && limit > 0) status = log.file.Read(*log.offset, size_t(limit), bytes);
  if (!status) {
    Fail(status.error(), out);
    return false;
  }
  // Bytes that belong to another time follow: they are sent without waiting for the line's end.
  const bool cut_by_time = options_.times && limit < int64_t(kSlice) &&
                           *log.offset + int64_t(bytes.size()) < log.end && seen;
  const bool full = bytes.size() == kSlice || cut_by_time;
  const bool half_a_line = !full && !HasLineEnd(bytes);
  size_t size = CutText(bytes);
  if ((half_a_line && flushes()) || (cut_by_time && size == 0))
    size = bytes.size();  // the last bytes, whole characters or not
  if (size == 0 || (half_a_line && !flushes() && Hold(log))) {
    log.ready = false;
    if (ranks_.size() > kOpenFiles) {
      log.file.Close();
      log.index.Close();
    }
    return false;
  }
  *log.offset += int64_t(size);
  log.held_since.reset();
  AppendLog(log, std::string_view(bytes).substr(0, size), wall_ms, out);
  return true;
}

// How far the client had this rank's log before it resumed; nothing when it had not begun.
std::optional<int64_t> LogStream::ResumeOffset(int rank) const {
  if (!first_attempt_ || !options_.resume) return std::nullopt;
  const auto found = options_.resume->offsets.find(rank);
  if (found == options_.resume->offsets.end()) return std::nullopt;
  return found->second;
}

Status LogStream::Place(RankLog& log) {
  if (log.offset) return {};
  if (!options_.follow) {
    MUSTER_ASSIGN(log.end, log.file.Size());
  }
  int64_t start = 0;
  if (const auto resume = ResumeOffset(log.rank)) {
    start = *resume;
  } else if (first_attempt_) {
    if (options_.tail) {
      MUSTER_ASSIGN(start, log.file.TailStart(*options_.tail, kTailLookBack));
    }
    if (options_.since_ms) {
      MUSTER_ASSIGN(const int64_t since, log.index.OffsetSince(*options_.since_ms));
      start = std::max(start, since);
    }
  }
  log.offset = start;
  return {};
}

bool LogStream::Hold(RankLog& log) {
  const int64_t now = parts_.loop.clock().SteadyMs();
  if (!log.held_since) log.held_since = now;
  if (now - *log.held_since >= kPatienceMs) return false;
  StartTimer();
  return true;
}

void LogStream::AppendLog(const RankLog& log, std::string_view text, int64_t wall_ms,
                          std::string& out) const {
  RankOffsets offsets;
  for (const RankLog& each : ranks_)
    if (const auto offset = each.offset ? each.offset : ResumeOffset(each.rank))
      offsets.emplace_back(each.rank, *offset);
  json::object data{{"attempt", attempt_},
                    {"rank", log.rank},
                    {"offset", *log.offset - int64_t(text.size())},
                    {"text", text}};
  if (options_.times) data["wall_ms"] = wall_ms;
  AppendEvent(out, "log", PositionText(attempt_, offsets), ToJson(data));
}

void LogStream::AppendEnd(std::string& out) {
  done_ = true;
  if (!view_.terminal) return;
  const json::object data{
      {"state", Name(view_.state)}, {"reason", view_.reason}, {"exit_code", view_.exit_code}};
  AppendEvent(out, "end", "", ToJson(data));
}

void LogStream::Fail(const Error& error, std::string& out) {
  done_ = true;
  const json::object data{
      {"code", CodeName(error.code)}, {"message", error.text}, {"next", error.next}};
  AppendEvent(out, "error", "", ToJson(data));
}

bool LogStream::AddWatches() {
  if (over_) return false;
  bool added = false;
  const auto add = [&](const os::Path& path, auto& owner, bool series, size_t index) {
    if (owner.watch != 0) return;
    std::error_code ignored;
    if (!std::filesystem::is_directory(path.parent_path(), ignored)) return StartTimer();
    owner.watch = parts_.files.Add(path, [this, series, index] {
      (series ? series_[index].ready : ranks_[index].ready) = true;
      Ring();
    });
    owner.ready = added = true;  // it may have grown before the watch was added
  };
  for (size_t i = 0; i < ranks_.size(); ++i) add(ranks_[i].file.path(), ranks_[i], false, i);
  for (size_t i = 0; i < series_.size(); ++i) add(series_[i].series.path(), series_[i], true, i);
  return added;
}

void LogStream::DropWatches() {
  const auto drop = [&](os::FileWatch::Id& id) {
    if (id != 0) parts_.files.Remove(std::exchange(id, 0));
  };
  for (RankLog& log : ranks_) drop(log.watch);
  for (NodeSeries& node : series_) drop(node.watch);
}

void LogStream::StartTimer() {
  if (timer_ == 0) timer_ = parts_.loop.After(kPatienceMs, [this] { OnTimer(); });
}

void LogStream::OnTimer() {
  timer_ = 0;
  for (RankLog& log : ranks_)
    if (log.held_since) log.ready = true;
  Ring();
}

// What a queued job waits for changes without an event of its own.
void LogStream::OnReasonTimer() {
  reason_timer_ = 0;
  stale_ = true;
  Ring();
}

void LogStream::Ring() {
  if (std::exchange(waiting_, false)) wake_.Ring();
}

}  // namespace muster::api
