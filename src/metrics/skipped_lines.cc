#include "metrics/skipped_lines.h"

#include <utility>

#include "base/text.h"

namespace muster::metrics {

bool SkippedLines::Skips(std::string_view line) {
  const bool indented = line.starts_with(' ') || line.starts_with('\t');
  const std::string_view text = Trim(line);
  if (line.contains("Traceback (most recent call last)")) return in_traceback_ = true;
  if (text.starts_with("File \"") && text.contains("\", line ")) return source_line_due_ = true;
  if (in_traceback_) {
    source_line_due_ = false;
    // The first line that is not indented is the exception itself.
    if (!indented && !text.empty()) in_traceback_ = false;
    return true;
  }
  if (std::exchange(source_line_due_, false) && indented) return true;
  if (text.contains("Warning: ")) return source_line_due_ = true;
  return text.starts_with("+ ") || text.starts_with("$ ") || text.starts_with(">>> ") ||
         text.starts_with('#') || text.starts_with("//");
}

}  // namespace muster::metrics
