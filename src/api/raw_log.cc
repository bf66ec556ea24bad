#include "api/raw_log.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/log.h"

namespace muster::api {
namespace {

constexpr size_t kPart = 512 << 10;
constexpr int64_t kLookAgainMs = 200;  // for a folder that is not there yet

}  // namespace

std::optional<os::Path> RankLogPath(const JobSource& jobs, const Job& job, int attempt, int rank) {
  const Attempt* found = FindAttempt(job, attempt);
  if (found == nullptr) return std::nullopt;
  const auto info = std::ranges::find(found->ranks, rank, &RankInfo::rank);
  if (info == found->ranks.end()) return std::nullopt;
  return jobs.NodeDir(job.id, attempt, info->node) / fmt::format("rank{}.log", rank);
}

std::optional<os::Path> RawLogPath(const JobSource& jobs, const Job& job,
                                   const RawLogOptions& options) {
  if (!options.hooks_of_node) return RankLogPath(jobs, job, options.attempt, options.rank);
  if (FindAttempt(job, options.attempt) == nullptr) return std::nullopt;
  return jobs.NodeDir(job.id, options.attempt, *options.hooks_of_node) / "hooks.log";
}

RawLogStream::RawLogStream(StreamParts parts, RawLogOptions options)
    : parts_(parts), options_(options) {
  if (!options_.follow) return;
  events_ = parts_.jobs.OnEvents(options_.job, [this] {
    stale_ = true;
    Ring();
  });
}

RawLogStream::~RawLogStream() {
  if (events_ != 0) parts_.jobs.Unwatch(events_);
  if (watch_ != 0) parts_.files.Remove(watch_);
  if (timer_ != 0) parts_.loop.Cancel(timer_);
}

http::Stream::Next RawLogStream::Read(std::string& out) {
  out.clear();
  waiting_ = false;
  while (options_.limit > 0) {
    // The look comes before the reading: what is over now has no byte that the reading misses.
    if (stale_) Look();
    if (file_) {
      const size_t want = size_t(std::min<int64_t>(options_.limit, kPart));
      if (const Status status = file_->Read(options_.offset, want, out); !status) {
        LogWarning("a log download ends early: {}", status.error().text);
        return Next::kEnd;
      }
    }
    if (!out.empty()) {
      options_.offset += int64_t(out.size());
      options_.limit -= int64_t(out.size());
      return Next::kData;
    }
    if (over_ || !options_.follow) break;
    if (AddWatch()) continue;
    waiting_ = true;
    return Next::kWait;
  }
  return Next::kEnd;
}

void RawLogStream::Look() {
  stale_ = false;
  const Result<Job> job = parts_.jobs.Find(options_.job);
  if (!job) {  // removed while it was read
    over_ = true;
    return;
  }
  if (options_.attempt == 0 && job->current()) options_.attempt = job->current()->number;
  if (!file_)
    if (const auto path = RawLogPath(parts_.jobs, *job, options_)) file_.emplace(*path);
  const Attempt* attempt = FindAttempt(*job, options_.attempt);
  over_ = attempt != nullptr ? IsOver(*job, *attempt) : IsTerminal(job->state);
}

bool RawLogStream::AddWatch() {
  if (watch_ != 0 || !file_) return false;
  std::error_code ignored;
  if (std::filesystem::is_directory(file_->path().parent_path(), ignored)) {
    watch_ = parts_.files.Add(file_->path(), [this] { Ring(); });
    return true;
  }
  if (timer_ == 0)
    timer_ = parts_.loop.After(kLookAgainMs, [this] {
      timer_ = 0;
      Ring();
    });
  return false;
}

void RawLogStream::Ring() {
  if (std::exchange(waiting_, false)) wake_.Ring();
}

}  // namespace muster::api
