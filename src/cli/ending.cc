#include "cli/ending.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/table.h"

namespace muster::cli {
namespace {

constexpr int64_t kWorthTelling = 1000;  // no duration for shorter runs

std::string RunTime(const JobView& job) {
  const Attempt* attempt = job.last();
  const int64_t ran = attempt && attempt->started_ms > 0 ? job.ended_ms - attempt->started_ms : 0;
  return ran >= kWorthTelling ? " after " + HumanDuration(ran) : "";
}

void AddFailure(const Screen& screen, const JobView& job, const std::vector<std::string>& lines,
                std::string& text) {
  if (!lines.empty()) {
    text += fmt::format("  last lines of rank {}:\n", job.FailingRank());
    for (const std::string& line : lines)
      text += fmt::format("  {} {}\n", screen.PaintedErr(Paint::kRed, "|"), line);
  }
  const std::vector<std::string> evidence = job.EvidenceBeside(lines);
  if (!lines.empty() && !evidence.empty()) text += "  what tells the cause:\n";
  for (const std::string& line : evidence)
    text += fmt::format("  {} {}\n", screen.PaintedErr(Paint::kRed, "|"), line);
  if (job.verdict && !job.verdict->advice.empty())
    text += fmt::format("  what to do: {}\n", job.verdict->advice);
}

std::string NextText(const JobView& job) {
  std::string text;
  if (job.state == "failed") {
    const int rank = job.FailingRank();
    text += rank >= 0 ? fmt::format("  next: muster logs {} -r {}\n", job.id, rank)
                      : fmt::format("  next: muster logs {}\n", job.id);
    text += fmt::format("        muster describe {}\n        muster rerun {}\n", job.id, job.id);
  } else {
    text += fmt::format("  next: muster describe {}\n        muster logs {}\n", job.id, job.id);
  }
  return text;
}

}  // namespace

std::vector<std::string> FailingLines(Api& api, const JobView& job, int count) {
  const int rank = job.FailingRank();
  if (rank < 0) return {};
  std::string bytes;
  const auto take = [&](std::string_view part) {
    bytes += part;
    return bytes.size() < (1 << 20);
  };
  const std::string target = fmt::format("/jobs/{}/ranks/{}/log?attempt={}&tail={}", job.id, rank,
                                         job.last()->number, count);
  // Without these lines the summary is only shorter.
  if (!api.Read(target, {}, take, 1000, [] { return true; })) return {};
  std::vector<std::string> lines;
  for (const std::string& line : Split(Trim(bytes), '\n')) lines.push_back(Printable(line));
  if (lines.size() > size_t(count)) lines.erase(lines.begin(), lines.end() - count);
  if (lines.size() == 1 && lines[0].empty()) lines.clear();
  return lines;
}

std::string EndingText(const Screen& screen, const JobView& job,
                       const std::vector<std::string>& failing_lines) {
  const Paint paint = StatePaint(job.state);
  std::string text = fmt::format("{}{}\n", screen.PaintedErr(paint, Headline(job)), RunTime(job));
  if (job.state == "failed") AddFailure(screen, job, failing_lines, text);
  if (job.state == "succeeded" && job.verdict)
    for (const std::string& line : job.verdict->evidence)
      text += fmt::format("  {} {}\n", screen.PaintedErr(Paint::kYellow, "warning:"), line);
  if (!job.progress.empty()) text += fmt::format("  result: {}\n", job.progress);
  if (!job.logs.empty()) text += fmt::format("  logs: {}\n", job.logs);
  for (const auto& [name, folder] : job.outputs)
    text += fmt::format("  output {}: {}\n", Printable(name), Printable(folder));
  for (const std::string& note : job.PublishNotes()) text += fmt::format("  note: {}\n", note);
  return text + NextText(job);
}

std::string NextCommands(JobId id) {
  return fmt::format(
      "  muster logs -f {0}    follow its output\n"
      "  muster describe {0}   see where it stands\n"
      "  muster stop {0}       stop it\n",
      id);
}

}  // namespace muster::cli
