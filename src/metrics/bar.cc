#include "metrics/bar.h"

#include <algorithm>

#include "base/text.h"
#include "metrics/log_line.h"

namespace muster::metrics {

namespace {

constexpr std::string_view kKerasBar = "\u2501";

// "5/10"; nothing for sizes such as "0.00/1.20k".
bool TakeCounts(LineScanner& scan, Bar& bar) {
  const auto count = scan.TakeNumber();
  if (!count || !scan.Take("/")) return false;
  const auto total = scan.TakeNumber();
  if (!total) return scan.Take("Unknown");
  bar.count = count;
  bar.total = total;
  return true;
}

std::optional<Bar> FindKerasBar(std::string_view line) {
  LineScanner scan(line);
  Bar bar{.keras = true};
  scan.SkipAnyOf(" \t");
  if (!TakeCounts(scan, bar)) return std::nullopt;
  scan.SkipAnyOf(" \t");
  bar.postfix = scan.rest();
  const bool drawn = scan.Take("[") && std::string_view("=>.#").contains(scan.Peek());
  if (drawn) return bar;
  if (bar.postfix.starts_with(kKerasBar)) return bar;
  LineScanner time(bar.postfix);  // "- 2s - loss: 0.5"
  if (time.Take("- ") && time.TakeNumber() && time.TakeWord() == "s") return bar;
  return std::nullopt;
}

std::optional<Bar> FindTqdmBar(std::string_view line) {
  const size_t percent = line.find("%|");
  if (percent == line.npos) return std::nullopt;
  size_t begin = percent;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  Bar bar{.description = Trim(line.substr(0, begin))};
  const size_t end = line.find('|', percent + 2);
  if (begin == percent || end == line.npos) return std::nullopt;
  LineScanner scan(line.substr(end + 1));
  scan.SkipAnyOf(" ");
  TakeCounts(scan, bar);
  if (std::string_view("kMGTP").contains(scan.Peek()) && scan.Peek() != '\0')
    bar.count = bar.total = std::nullopt;
  const std::string_view rest = scan.rest();
  const size_t open = rest.find('['), close = rest.rfind(']');
  if (open == rest.npos) {
    bar.postfix = rest;
    return bar;
  }
  const bool closed = close != rest.npos && close > open;
  bar.postfix = rest.substr(open + 1, closed ? close - open - 1 : rest.npos);
  if (closed) bar.after = rest.substr(close + 1);
  return bar;
}

}  // namespace

std::optional<Bar> FindBar(std::string_view clean_line) {
  if (std::optional<Bar> bar = FindTqdmBar(clean_line)) return bar;
  return FindKerasBar(clean_line);
}

BarKind KindOf(std::string_view description) {
  LineScanner scan(description);
  bool words = false, numbers = false, training = false, epochs = false;
  while (!scan.AtEnd()) {
    const std::string_view name = scan.TakeWord();
    if (name.empty()) {
      numbers = scan.TakeNumber().has_value() || numbers;
      scan.Skip(scan.AtEnd() ? 0 : 1);
      continue;
    }
    words = true;
    for (const std::string& part : NameParts(name)) {
      switch (PhaseOfWord(part)) {
        case Phase::kValidation:
        case Phase::kTest:
          return BarKind::kEvaluation;
        case Phase::kOther:
          return BarKind::kOther;
        case Phase::kTrain:
          training = true;
          break;
        case Phase::kNone:
          break;
      }
      const auto is = [&part](std::string_view word) { return part == word; };
      epochs = epochs || is("epoch") || is("epochs");
      training = training || is("step") || is("steps") || is("iter") || is("iteration") ||
                 is("iterations") || is("batch") || is("batches") ||
                 (part.starts_with("ep") && part.size() > 2 && part[2] >= '0' && part[2] <= '9');
    }
  }
  if (epochs) return numbers || training ? BarKind::kSteps : BarKind::kEpochs;
  if (training) return BarKind::kSteps;
  return words ? BarKind::kOther : BarKind::kPlain;
}

}  // namespace muster::metrics
