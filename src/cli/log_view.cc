#include "cli/log_view.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/table.h"
#include "model/states.h"

namespace muster::cli {
namespace {

constexpr std::string_view kEraseLine = "\r\x1b[K";
constexpr size_t kMostBars = 8;

// Whole seconds, so that the line does not flicker.
std::string Elapsed(int64_t ms) {
  const int64_t seconds = std::max<int64_t>(0, ms / 1000);
  return seconds < 60 ? fmt::format("{}s", seconds) : HumanDuration(seconds * 1000);
}

std::string JsonLine(const http::SseEvent& event, const json::value& data) {
  json::object line{{"event", event.event}};
  if (!event.id.empty()) line["id"] = event.id;
  if (const json::object* members = data.if_object())
    for (const auto& [name, value] : *members) line[name] = value;
  return ToJson(line) + "\n";
}

}  // namespace

LogView::LogView(Screen& screen, const Clock& clock, LogViewOptions options)
    : screen_(screen),
      clock_(clock),
      options_(std::move(options)),
      began_ms_(options_.began_ms),
      lines_(screen, options_.lines) {}

void LogView::Take(const http::SseEvent& event) {
  const auto parsed = ParseJson(event.data);
  const json::object* data = parsed ? parsed->if_object() : nullptr;
  if (!data) return;  // a newer server may send unknown events
  if (began_ms_ == 0) began_ms_ = clock_.WallMs();
  if (options_.as_json) Write(JsonLine(event, *parsed));
  if (event.event == "log") {
    if (!options_.as_json) TakeLog(*data);
  } else if (event.event == "progress") {
    progress_ = Printable(GetString(*data, "text"));
    DrawStatus();
  } else if (event.event == "state") {
    TakeState(*data);
  } else if (event.event == "error") {
    Say(Printable(GetString(*data, "message")));
  } else if (event.event == "end") {
    end_ = End{std::string(GetString(*data, "state")), std::string(GetString(*data, "reason")),
               int(GetInt(*data, "exit_code", 1))};
    Finish();
  }
}

void LogView::TakeLog(const json::object& data) {
  const int64_t attempt = GetInt(data, "attempt");
  if (attempt_ != 0 && attempt > attempt_) {
    Write(lines_.Finish());
    Say(fmt::format("attempt {} begins", attempt));
  }
  attempt_ = std::max(attempt_, attempt);
  const std::string_view text = GetString(data, "text");
  if (text.empty()) return;
  const int rank = int(GetInt(data, "rank"));
  const int64_t wall_ms = GetInt(data, "wall_ms", clock_.WallMs());
  const std::string shown = options_.safe ? lines_.Take(rank, safe_[rank].Take(text), wall_ms)
                                          : lines_.Take(rank, text, wall_ms);
  if (!shown.empty()) {
    Clear();
    Write(shown);
  }
  DrawStatus();
}

void LogView::Finish() {
  Clear();
  std::string rest;
  for (auto& [rank, text] : safe_) rest += lines_.Take(rank, text.Finish(), clock_.WallMs());
  if (!options_.as_json) Write(rest + lines_.Finish());
  EndOpenLine();
}

// On a terminal standard output and standard error share the lines.
void LogView::EndOpenLine() {
  if (lines_.at_line_start() || !screen_.out_is_terminal) return;
  Write("\n");
  lines_.EndLine();
}

void LogView::TakeState(const json::object& data) {
  const std::string state(GetString(data, "state"));
  const std::string reason = Printable(GetString(data, "reason"));
  const bool is_new = state != state_ || reason != reason_;
  state_ = state;
  reason_ = reason;
  if (options_.live) return DrawStatus();
  // The caller reports how the job ended.
  const auto known = StateFromName(state_);
  const bool is_over = known && IsTerminal(*known);
  if (!is_new || is_over || !options_.tell_states || options_.as_json) return;
  Say(fmt::format("{} is {}{}{}", options_.title, state_, reason_.empty() ? "" : ": ", reason_));
}

void LogView::Write(std::string_view text) {
  if (!broken_ && !screen_.Out(text)) broken_ = true;
}

void LogView::Tick() {
  if (screen_.OutIsClosed()) broken_ = true;
  DrawStatus();
}

// Erases the status lines, also when the terminal became narrower and wrapped them.
void LogView::Clear() {
  if (status_.empty()) return;
  int rows = 0;
  for (const std::string& line : status_)
    rows += screen_.width > 0 ? std::max(0, DisplayWidth(line) - 1) / screen_.width + 1 : 1;
  if (rows > 1) {
    screen_.Out(fmt::format("\r\x1b[{}A\x1b[J", rows - 1));
  } else {
    screen_.Out(kEraseLine);
  }
  status_.clear();
}

void LogView::Say(std::string_view text) {
  Clear();
  EndOpenLine();
  screen_.Err(fmt::format("muster: {}\n", text));
  DrawStatus();
}

std::string LogView::StatusText() const {
  std::string text =
      fmt::format("{} · {} · {}", options_.title, state_, Elapsed(clock_.WallMs() - began_ms_));
  const std::string& detail = progress_.empty() || state_ == "queued" ? reason_ : progress_;
  if (!detail.empty()) text += " · " + detail;
  return text;
}

void LogView::DrawStatus() {
  if (!options_.live || !lines_.at_line_start() || end_ || state_.empty()) return;
  screen_.Refresh();
  std::vector<std::string> status = lines_.bars();
  if (status.size() > kMostBars) status.resize(kMostBars);
  status.push_back(StatusText());
  if (screen_.width > 1)
    for (std::string& line : status) line = CutToWidth(line, screen_.width - 1);
  if (status == status_) return;
  Clear();
  std::string text(kEraseLine);
  for (const std::string& line : status) {
    const bool last = &line == &status.back();
    text += last ? screen_.Painted(Paint::kBold, line) : line + "\n";
  }
  screen_.Out(text);
  status_ = std::move(status);
}

}  // namespace muster::cli
