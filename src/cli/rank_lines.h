#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/screen.h"

namespace muster::cli {

struct RankLinesOptions {
  bool prefixes = false;                            // "[rank 3] " in front of each line
  bool times = false;                               // the time of each line, as ISO 8601 in UTC
  std::function<bool(std::string_view)> keep = {};  // shows only lines for which this is true
  bool changes_text() const { return prefixes || times || keep; }
};

// Merges the output of several ranks line by line. Without options the text is not changed. Of a
// line that is redrawn with carriage returns only the last state is shown, when the line ends;
// until then it is one of bars().
class RankLines {
 public:
  RankLines(const Screen& screen, RankLinesOptions options)
      : screen_(screen), options_(std::move(options)) {}

  std::string Take(int rank, std::string_view text, int64_t wall_ms);
  // Lines without an end and bars, at the end of the output.
  std::string Finish();
  bool at_line_start() const { return at_line_start_; }
  void EndLine() { at_line_start_ = true; }  // the caller ended an open line
  std::vector<std::string> bars() const;     // the current state of each, with its prefix

 private:
  struct Line {
    std::string held;      // text that is not shown yet
    bool redrawn = false;  // `held` is the current state of a bar
    bool begun = false;    // shown in part
    int64_t wall_ms = 0;
  };
  void TakePart(int rank, std::string_view part, bool ended, std::string& out);
  void Redraw(Line& line, std::string_view part);
  void Show(int rank, Line& line, std::string_view text, bool ended, std::string& out);
  std::string Prefix(int rank, int64_t wall_ms) const;

  const Screen& screen_;
  const RankLinesOptions options_;
  std::map<int, Line> lines_;
  int last_rank_ = -1;
  bool at_line_start_ = true;
};

}  // namespace muster::cli
