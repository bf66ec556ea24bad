#include "launcher/input_fetch.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "launcher/fetch_report.h"
#include "launcher/input_cache.h"
#include "launcher/stage_in.h"

namespace muster::launcher {
namespace {

constexpr int64_t kLookMs = 1000;
// Between two notes in the record; a long fetch must not fill the journal.
constexpr int64_t kFirstPauseMs = 2000;
constexpr int64_t kLongestPauseMs = 60'000;

}  // namespace

bool InputFetch::IsNeeded() const {
  return std::ranges::any_of(order_.files, [&](const OrderFile& file) {
    return os::Path(file.path) == os::Path(order_.dir) / kStagingFile;
  });
}

Status InputFetch::Start() {
  pause_ms_ = kFirstPauseMs;
  next_note_ms_ = loop_.clock().SteadyMs() + pause_ms_;
  LookSoon();
  // By this name the executable is found in any view of the file system.
  return hooks_.StartWords("fetch", {"/proc/self/exe", "launch", "--stage-in", order_.dir});
}

void InputFetch::LookSoon() {
  timer_ = loop_.After(kLookMs, [this] {
    Look();
    LookSoon();
  });
}

void InputFetch::Look() {
  const int64_t now_ms = loop_.clock().SteadyMs();
  if (now_ms < next_note_ms_) return;
  const auto report = ReadFetchReport(order_.dir);
  if (!report || report->progress.empty() || report->progress == last_) return;
  last_ = report->progress;
  record_.Append(StageNote{last_});
  pause_ms_ = std::min(pause_ms_ * 2, kLongestPauseMs);
  next_note_ms_ = now_ms + pause_ms_;
}

void InputFetch::Cancel() { loop_.Cancel(std::exchange(timer_, 0)); }

Status InputFetch::Finish(const ExitReport& exit) {
  Cancel();
  const auto report = ReadFetchReport(order_.dir);
  if (exit.how != ExitClass::kSucceeded) {
    const bool told = report && !report->error.empty();
    return Fail(Code::kIo, told ? report->error
                                : fmt::format("the process that fetches inputs {}; see hooks.log",
                                              Describe(exit)));
  }
  if (!report) return std::unexpected(report.error());
  MUSTER_ASSIGN(const Staging staging, ReadStaging(order_.dir));
  const InputCache cache = InputCache::Of(staging);
  for (const std::string& key : report->keys) {
    auto use = cache.Use(key);
    if (use) {
      in_use_.push_back(std::move(*use));
    } else {
      LogWarning("inputs may leave the cache while they are used: {}", use.error().text);
    }
  }
  for (const std::string& note : report->notes) record_.Append(StageNote{note});
  return {};
}

}  // namespace muster::launcher
