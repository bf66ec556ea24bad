#include "cli/copy_screen.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"
#include "cli/table.h"

namespace muster::cli {
namespace {

using transfer::Deed;

constexpr int64_t kRateWindowMs = 3'000;
constexpr int kExitInterrupted = 130;
constexpr size_t kMostShown = 10;

std::string_view WordFor(Deed::Kind kind) {
  switch (kind) {
    case Deed::Kind::kCopied:
      return "copied";
    case Deed::Kind::kSkipped:
      return "skipped";
    case Deed::Kind::kDeleted:
      return "deleted";
    case Deed::Kind::kFailed:
      return "failed";
    case Deed::Kind::kWouldCopy:
      return "would copy";
    case Deed::Kind::kWouldDelete:
      return "would delete";
  }
  return "";
}

std::string CheckedText(const transfer::Summary& summary) {
  std::string text;
  for (size_t i = summary.checked.size(); i-- > 0;) {
    if (summary.checked[i] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", summary.checked[i],
                        CheckName(static_cast<transfer::Check>(i)));
  }
  return text;
}

}  // namespace

std::string ProgressText(const transfer::Tally& tally, double rate) {
  const int64_t bytes = std::min(tally.ended_bytes, tally.found_bytes);
  std::string text =
      fmt::format("{}/{}{} objects  {} of {}{}", tally.ended, tally.found, tally.listed ? "" : "+",
                  HumanSize(bytes), HumanSize(tally.found_bytes), tally.listed ? "" : "+");
  if (rate <= 0) return text;
  text += fmt::format("  {}/s", HumanSize(static_cast<int64_t>(rate)));
  if (tally.listed) {
    const auto left = static_cast<double>(tally.found_bytes - bytes) / rate * 1000;
    text += fmt::format("  {} left", HumanDuration(static_cast<int64_t>(left)));
  }
  return text;
}

std::string SummaryText(const transfer::Summary& summary, bool dry_run) {
  std::string text = fmt::format("{} {}, {}", dry_run ? "would copy" : "copied",
                                 Counted(summary.copied, "object"), HumanSize(summary.bytes));
  if (!dry_run) {
    const double seconds = std::max<double>(1, static_cast<double>(summary.ms)) / 1000;
    text += fmt::format(" in {}", HumanDuration(summary.ms));
    if (summary.bytes > 0) {
      text += fmt::format(
          " ({}/s)", HumanSize(static_cast<int64_t>(static_cast<double>(summary.bytes) / seconds)));
    }
    if (summary.resumed_bytes > 0) {
      text += fmt::format(", after {} of an earlier run", HumanSize(summary.resumed_bytes));
    }
    if (const std::string checked = CheckedText(summary); !checked.empty()) {
      text += ", checked: " + checked;
    }
  }
  text += '\n';
  if (summary.skipped > 0) {
    text += fmt::format("left {} as {}\n", Counted(summary.skipped, "object"),
                        summary.done_before > 0 ? "an earlier run had done them" : "they were");
  }
  if (summary.deleted > 0) {
    text += fmt::format("{} {}\n", dry_run ? "would delete" : "deleted",
                        Counted(summary.deleted, "object"));
  }
  if (summary.retries > 0)
    text += fmt::format("tried {} again\n", Counted(summary.retries, "request"));
  return text;
}

std::string FailureText(const transfer::Summary& summary) {
  if (summary.failed == 0) return {};
  std::string text =
      fmt::format("muster: {} could not be copied\n", Counted(summary.failed, "object"));
  if (summary.passing > 0) {
    text += "  run the same command again: it goes on with what is left\n";
  }
  return text;
}

json::object SummaryJson(const transfer::Summary& summary) {
  json::object checked;
  for (size_t i = 0; i < summary.checked.size(); ++i) {
    checked[CheckName(static_cast<transfer::Check>(i))] = summary.checked[i];
  }
  json::array failures;
  for (const transfer::Failure& failure : summary.failures) {
    failures.push_back(json::object{{"source", failure.source},
                                    {"destination", failure.destination},
                                    {"code", CodeName(failure.error.code)},
                                    {"message", failure.error.text},
                                    {"next", failure.error.next}});
  }
  return {{"copied", summary.copied},
          {"bytes", summary.bytes},
          {"resumed", summary.done_before + summary.gone_on_with},
          {"resumed_bytes", summary.resumed_bytes},
          {"skipped", summary.skipped},
          {"deleted", summary.deleted},
          {"failed", summary.failed},
          {"retries", summary.retries},
          {"ms", summary.ms},
          {"checked", checked},
          {"interrupted", summary.interrupted},
          {"failures", failures},
          {"notes", json::value_from(summary.notes)}};
}

CopyScreen::CopyScreen(Context& context, const Args& args)
    : context_(context),
      json_(args.Has("json")),
      verbose_(args.Has("verbose")),
      quiet_(args.Has("quiet")),
      dry_run_(args.Has("dry-run")) {}

double CopyScreen::Rate(int64_t moved) {
  const int64_t now = context_.clock.SteadyMs();
  samples_.emplace_back(now, moved);
  while (samples_.size() > 2 && samples_.front().first < now - kRateWindowMs) samples_.pop_front();
  const int64_t ms = now - samples_.front().first;
  return ms <= 0 ? 0
                 : static_cast<double>(moved - samples_.front().second) * 1000 /
                       static_cast<double>(ms);
}

void CopyScreen::Tick(const transfer::Tally& tally) {
  // The second Ctrl-C: exit without waiting; the journal permits a resume.
  if (stopping_ && interrupts_.Pressed()) ::_exit(kExitInterrupted);
  if (quiet_ || json_ || !context_.screen.err_is_terminal) return;
  const std::string text = stopping_ ? "stopping …" : ProgressText(tally, Rate(tally.moved_bytes));
  const int width = context_.screen.width > 0 ? context_.screen.width - 1 : 100;
  const MutexLock lock(mutex_);
  context_.screen.Err("\r\x1b[K" + CutToWidth(text, width));
  line_shown_ = true;
}

void CopyScreen::ClearLine() {
  if (line_shown_) context_.screen.Err("\r\x1b[K");
  line_shown_ = false;
}

void CopyScreen::Did(const Deed& deed) {
  const bool wanted = verbose_ || (dry_run_ && deed.kind != Deed::Kind::kSkipped);
  if (!wanted || json_) return;
  const MutexLock lock(mutex_);
  ClearLine();
  const std::string_view word = WordFor(deed.kind);
  const bool deletes = deed.kind == Deed::Kind::kDeleted || deed.kind == Deed::Kind::kWouldDelete;
  context_.screen.Out(deletes ? fmt::format("{} {}\n", word, deed.destination)
                              : fmt::format("{} {} -> {}\n", word, deed.source, deed.destination));
}

bool CopyScreen::GoOn() {
  stopping_ = stopping_ || interrupts_.Pressed();
  return !stopping_;
}

int CopyScreen::Finish(const transfer::Summary& summary) {
  {
    const MutexLock lock(mutex_);
    ClearLine();
  }
  Screen& screen = context_.screen;
  for (size_t i = 0; i < summary.failures.size() && i < kMostShown && !json_; ++i) {
    Report(screen, summary.failures[i].error);
  }
  const auto shown = static_cast<int64_t>(std::min(summary.failures.size(), kMostShown));
  if (!json_ && summary.failed > shown) {
    screen.Err(fmt::format("muster: and {} more\n", summary.failed - shown));
  }
  if (json_) {
    screen.Out(ToPrettyJson(SummaryJson(summary)));
  } else if (!quiet_) {
    for (const std::string& note : summary.notes) screen.Err(fmt::format("muster: {}\n", note));
    if (summary.more_notes > 0)
      screen.Err(fmt::format("muster: and {} more\n", summary.more_notes));
    screen.Out(SummaryText(summary, dry_run_));
  }
  if (!json_) screen.Err(FailureText(summary));
  if (!json_ && summary.interrupted) {
    screen.Err("muster: stopped; the same command goes on where it was\n");
  }
  if (summary.interrupted) return kExitInterrupted;
  return summary.failed > 0 ? 1 : 0;
}

}  // namespace muster::cli
