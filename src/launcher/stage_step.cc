#include "launcher/stage_step.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "launcher/fetch_report.h"
#include "launcher/input_cache.h"
#include "launcher/stage_in.h"
#include "model/publication.h"

namespace muster::launcher {
namespace {

constexpr int64_t kLookMs = 1000;
// Interval between notes in the record; a long fetch must not fill the journal.
constexpr int64_t kFirstPauseMs = 2000;
constexpr int64_t kLongestPauseMs = 60'000;
// A process that is killed so often is killed on purpose, or takes more memory than there is.
constexpr int kMostKills = 5;

}  // namespace

const OrderFile* StageStep::Find(std::string_view name) const {
  const auto found = std::ranges::find_if(order_.files, [&](const OrderFile& file) {
    return os::Path(file.path) == os::Path(order_.dir) / name;
  });
  return found == order_.files.end() ? nullptr : &*found;
}

bool StageStep::Fetches() const { return Find(kStagingFile) != nullptr; }
bool StageStep::Publishes() const { return Find(kPublicationFile) != nullptr; }

bool StageStep::BringsCode() const {
  return Fetches() && order_.code_dir.starts_with(order_.attempt_dir + "/");
}

Status StageStep::Start() {
  pause_ms_ = kFirstPauseMs;
  next_note_ms_ = loop_.clock().SteadyMs() + pause_ms_;
  LookSoon();
  // If the code is fetched, the files of the order are written later.
  const OrderFile& file = *Find(Publishes() ? kPublicationFile : kStagingFile);
  MUSTER_TRY(os::WriteFileAtomic(file.path, *file.content, mode_t(file.mode), false));
  // This name refers to the executable in any view of the file system.
  return hooks_.StartWords(
      Publishes() ? "publish" : "fetch",
      {"/proc/self/exe", "launch", Publishes() ? "--stage-out" : "--stage-in", order_.dir},
      order_.dir);
}

void StageStep::LookSoon() {
  timer_ = loop_.After(kLookMs, [this] {
    Look();
    LookSoon();
  });
}

void StageStep::Look() {
  const int64_t now_ms = loop_.clock().SteadyMs();
  if (now_ms < next_note_ms_) return;
  const auto report = ReadFetchReport(order_.dir);
  if (!report || report->progress.empty() || report->progress == last_) return;
  last_ = report->progress;
  record_.Append(StageNote{last_, true});
  pause_ms_ = std::min(pause_ms_ * 2, kLongestPauseMs);
  next_note_ms_ = now_ms + pause_ms_;
}

void StageStep::Cancel() { loop_.Cancel(std::exchange(timer_, 0)); }

bool StageStep::IsDueAgain(const ExitReport& exit) {
  const bool killed = exit.how == ExitClass::kSignal || exit.how == ExitClass::kOutOfMemory;
  if (!Publishes() || !killed) return false;
  Cancel();
  if (++kills_ >= kMostKills) return false;
  const std::string note = fmt::format("the process that publishes {}; it is started again, try {}",
                                       Describe(exit), kills_ + 1);
  LogWarning("{}", note);
  record_.Append(StageNote{note});
  return true;
}

// "was killed by SIGKILL", and how often.
std::string StageStep::EndOf(const ExitReport& exit) const {
  return Describe(exit) + (kills_ > 1 ? fmt::format(" ({} times)", kills_) : "");
}

Status StageStep::Finish(const ExitReport& exit) {
  Cancel();
  const auto report = ReadFetchReport(order_.dir);
  if (exit.how != ExitClass::kSucceeded) {
    const bool told = report && !report->error.empty();
    return Fail(Code::kIo,
                told
                    ? report->error
                    : fmt::format("the process that {} {}; see {}",
                                  Publishes() ? "publishes outputs" : "fetches inputs", EndOf(exit),
                                  Publishes() ? order_.dir + "/hooks.log"
                                              : fmt::format("muster logs --hooks {}", order_.job)));
  }
  if (!report) return std::unexpected(report.error());
  done_ = true;
  if (Fetches()) MUSTER_TRY(KeepInUse(report->keys));
  for (const std::string& note : report->notes) record_.Append(StageNote{note});
  return {};
}

Status StageStep::KeepInUse(const std::vector<std::string>& keys) {
  MUSTER_ASSIGN(const Staging staging, ReadStaging(order_.dir));
  const InputCache cache = InputCache::Of(staging);
  for (const std::string& key : keys) {
    auto use = cache.Use(key);
    if (use) {
      in_use_.push_back(std::move(*use));
    } else {
      LogWarning("inputs may leave the cache while they are used: {}", use.error().text);
    }
  }
  return {};
}

}  // namespace muster::launcher
