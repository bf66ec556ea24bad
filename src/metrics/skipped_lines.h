#pragma once

#include <string_view>

namespace muster::metrics {

// Recognises the lines of an output that quote text instead of reporting values: tracebacks with
// their source lines, warnings with the line that caused them, traced shell commands, comments.
class SkippedLines {
 public:
  // `line` is clean, with its leading blanks. Call it for every line, in order.
  bool Skips(std::string_view line);

 private:
  bool in_traceback_ = false;
  bool source_line_due_ = false;  // the next line quotes source when it is indented
};

}  // namespace muster::metrics
