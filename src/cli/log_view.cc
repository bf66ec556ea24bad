#include "cli/log_view.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/table.h"
#include "model/states.h"

namespace muster::cli {
namespace {

constexpr std::string_view kEraseLine = "\r\x1b[K";

Paint RankPaint(int rank) {
  constexpr Paint kCycle[] = {Paint::kCyan, Paint::kYellow, Paint::kGreen, Paint::kMagenta,
                              Paint::kBlue};
  return kCycle[size_t(rank < 0 ? 0 : rank) % std::size(kCycle)];
}

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
    : screen_(screen), clock_(clock), options_(std::move(options)), began_ms_(options_.began_ms) {}

void LogView::Take(const http::SseEvent& event) {
  const auto parsed = ParseJson(event.data);
  const json::object* data = parsed ? parsed->if_object() : nullptr;
  if (!data) return;  // a newer server may send events that this client does not know
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
    Clear();
  }
}

void LogView::TakeLog(const json::object& data) {
  const int64_t attempt = GetInt(data, "attempt");
  if (attempt_ != 0 && attempt > attempt_) Say(fmt::format("attempt {} begins", attempt));
  attempt_ = std::max(attempt_, attempt);
  const std::string_view text = GetString(data, "text");
  if (text.empty()) return;
  const int rank = int(GetInt(data, "rank"));
  Clear();
  Write(options_.prefixes ? WithPrefixes(rank, text) : std::string(text));
  at_line_start_ = text.ends_with('\n');
  DrawStatus();
}

void LogView::TakeState(const json::object& data) {
  const std::string state(GetString(data, "state"));
  const std::string reason = Printable(GetString(data, "reason"));
  const bool is_new = state != state_ || reason != reason_;
  state_ = state;
  reason_ = reason;
  if (options_.live) return DrawStatus();
  // How it ended is told by whoever asked for the stream.
  const auto known = StateFromName(state_);
  const bool is_over = known && IsTerminal(*known);
  if (!is_new || is_over || !options_.tell_states || options_.as_json) return;
  Say(fmt::format("{} is {}{}{}", options_.title, state_, reason_.empty() ? "" : ": ", reason_));
}

void LogView::Write(std::string_view text) {
  if (!broken_ && !screen_.Out(text)) broken_ = true;
}

// A line that another rank left open is ended first; nothing is held back.
std::string LogView::WithPrefixes(int rank, std::string_view text) {
  const std::string prefix = screen_.Painted(RankPaint(rank), fmt::format("[rank {}]", rank)) + " ";
  std::string made;
  made.reserve(text.size() + text.size() / 8);
  if (rank != last_rank_ && !at_line_start_) {
    made += '\n';
    at_line_start_ = true;
  }
  if (rank != last_rank_) after_return_ = false;
  bool prefix_due = at_line_start_ || (after_return_ && text.front() != '\n');
  while (!text.empty()) {
    if (prefix_due) made += prefix;
    const size_t end = text.find_first_of("\r\n");
    if (end == std::string_view::npos) {
      made += text;
      after_return_ = false;
      break;
    }
    const char last = text[end];
    made += text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    prefix_due = last == '\n' || !text.starts_with('\n');
    after_return_ = last == '\r' && text.empty();
  }
  last_rank_ = rank;
  return made;
}

void LogView::Tick() { DrawStatus(); }

void LogView::Clear() {
  if (!status_shown_) return;
  screen_.Out(kEraseLine);
  status_shown_ = false;
}

void LogView::Say(std::string_view text) {
  Clear();
  // On a terminal both streams share the lines.
  if (!at_line_start_ && screen_.out_is_terminal) {
    Write("\n");
    at_line_start_ = true;
  }
  screen_.Err(fmt::format("muster: {}\n", text));
  DrawStatus();
}

void LogView::DrawStatus() {
  if (!options_.live || !at_line_start_ || end_ || state_.empty()) return;
  std::string text =
      fmt::format("{} · {} · {}", options_.title, state_, Elapsed(clock_.WallMs() - began_ms_));
  const std::string& detail = progress_.empty() || state_ == "queued" ? reason_ : progress_;
  if (!detail.empty()) text += " · " + detail;
  if (screen_.width > 1) text = CutToWidth(text, screen_.width - 1);
  if (status_shown_ && text == status_) return;
  screen_.Out(fmt::format("{}{}", kEraseLine, screen_.Painted(Paint::kBold, text)));
  status_shown_ = true;
  status_ = std::move(text);
}

}  // namespace muster::cli
