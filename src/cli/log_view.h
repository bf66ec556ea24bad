#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "cli/rank_lines.h"
#include "cli/screen.h"
#include "cli/stream_view.h"
#include "cli/terminal_text.h"

namespace muster::cli {

struct LogViewOptions {
  RankLinesOptions lines = {};
  bool safe = false;         // control sequences other than colours are removed: for a terminal
  bool live = false;         // a status line at the bottom; requires a terminal
  bool as_json = false;      // one JSON object per line instead of text
  bool tell_states = false;  // without a status line, report each new state on standard error
  std::string title;         // "job 17" at the start of the status line
  int64_t began_ms = 0;  // wall time at which the status line's clock starts; 0 for the first event
};

// Shows the events of a log stream as they come: the ranks' output, and below it the bars that are
// being redrawn and one status line with state, time and progress.
class LogView final : public StreamView {
 public:
  struct End {
    std::string state, reason;
    int exit_code = 1;
  };

  LogView(Screen& screen, const Clock& clock, LogViewOptions options);

  void Take(const http::SseEvent& event) override;
  void Tick() override;
  void Clear() override;
  void Say(std::string_view text) override;
  // Shows what was held back and ends an open line, so that others can write.
  void Finish();
  bool ended() const override { return end_.has_value(); }
  bool broken() const override { return broken_; }

  const std::optional<End>& end() const { return end_; }

 private:
  void TakeLog(const json::object& data);
  void TakeState(const json::object& data);
  void Write(std::string_view text);
  void EndOpenLine();
  std::string StatusText() const;
  void DrawStatus();

  Screen& screen_;
  const Clock& clock_;
  const LogViewOptions options_;

  std::string state_, reason_, progress_;
  int64_t began_ms_;
  int64_t attempt_ = 0;
  std::optional<End> end_;
  RankLines lines_;
  std::map<int, TerminalText> safe_;  // by rank
  std::vector<std::string> status_;   // lines, as drawn last
  bool broken_ = false;
};

}  // namespace muster::cli
