#include "metrics/text_line.h"

#include <algorithm>
#include <initializer_list>

#include "base/text.h"
#include "metrics/log_line.h"

namespace muster::metrics {

namespace {

constexpr std::string_view kBlanks = " \t";
constexpr size_t kMostWords = 8;  // of a phrase

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// "TrainingArguments(" prints an object with settings.
bool IsSettings(std::string_view name) {
  const std::string lower = Lower(name);
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"arguments", "args", "config", "settings", "options",
                                              "params", "parameters", "namespace"},
      [&lower](std::string_view end) { return lower.ends_with(end); });
}

// Reads one line from left to right. A phrase is a row of words with single blanks between them;
// the metric is what the phrase in front of a value names.
class TextReader {
 public:
  explicit TextReader(std::string_view line) : scan_(line) {}

  TextReading Read() {
    scan_.SkipAnyOf(kBlanks);
    reading_.begins_with_star = scan_.Take("* ");
    while (!scan_.AtEnd()) {
      const char before = scan_.Before();
      if (const std::string_view name = scan_.TakeIdentifier(); !name.empty()) {
        TakeName(name, before);
      } else if (const auto number = scan_.TakeNumber()) {
        phrase_.clear();
        TakeAmount(*number);
      } else {
        TakeSeparator();
      }
    }
    return std::move(reading_);
  }

 private:
  void TakeSeparator() {
    const bool single_blank = scan_.Peek() == ' ' && scan_.Peek(1) != ' ';
    if (!single_blank) phrase_.clear();
    scan_.Skip();
  }

  void TakeName(std::string_view name, char before) {
    std::vector<std::string> parts = NameParts(name);
    const size_t identifier = parts.size();
    if (std::ranges::find(parts, "runtime") != parts.end()) reading_.is_summary = true;
    std::ranges::move(parts, std::back_inserter(phrase_));
    if (phrase_.size() > kMostWords)
      phrase_.erase(phrase_.begin(), phrase_.end() - ptrdiff_t(kMostWords));
    const bool option = before == '-';  // "--lr 0.1"
    const MetricName metric = FindMetric(phrase_, std::min(identifier, phrase_.size()));
    const size_t back = scan_.position();
    bool assigned = false;
    const bool valued = SkipToValue(metric.metric, assigned) && scan_.TakeNumber().has_value();
    scan_.Back(back);
    if (!valued) return TakeWords(name, identifier, false);
    if (metric.metric == Metric::kNone || option) {
      TakeWords(name, identifier, true);
      return phrase_.clear();
    }
    TakeValue(metric);
    phrase_.clear();
  }

  // The words of a name tell the phase of what follows, unless they are a file's name.
  void TakeWords(std::string_view name, size_t identifier, bool valued) {
    if (name.contains('.') || name.contains('/')) return;
    if (scan_.Peek() == '(' && IsSettings(name)) reading_.phase = Phase::kOther;
    if (valued && identifier > 1) return;
    for (size_t i = phrase_.size() - std::min(identifier, phrase_.size()); i < phrase_.size();
         ++i) {
      const Phase phase = PhaseOfWord(phrase_[i]);
      if (phase == Phase::kNone || (phase == Phase::kOther && valued)) continue;
      if (reading_.phase != Phase::kOther) reading_.phase = phase;
    }
  }

  void TakeValue(const MetricName& metric) {
    Found found{.metric = metric.metric, .phase = metric.phase, .mean = metric.mean};
    const std::string& last = phrase_.back();
    found.has_unit = last == "s" || last == "sec" || last == "second";
    SkipToValue(metric.metric, found.assigned);
    found.value = scan_.TakeNumber().value_or(0);
    found.at_end = scan_.AtEnd();
    if (IsLetter(scan_.Peek())) return;  // "3x", "0.5M"
    const bool is_rate = found.metric == Metric::kLearningRate && reading_.phase != Phase::kOther;
    if ((found.phase == Phase::kNone && !is_rate) || reading_.phase == Phase::kOther)
      found.phase = reading_.phase;
    if (reading_.phase != Phase::kOther && metric.phase != Phase::kNone)
      reading_.phase = metric.phase;
    TakeSuffix(found);
    if (scan_.Peek() == '/' && !found.total) return;  // "5/0"
    Add(found);
    if (found.metric == Metric::kEpoch) TakeStepInBrackets(found.phase);
  }

  // The first value of a name counts.
  void Add(const Found& found) {
    const bool known = std::ranges::any_of(reading_.found, [&found](const Found& other) {
      return other.metric == found.metric && other.phase == found.phase && other.mean == found.mean;
    });
    if (!known) reading_.found.push_back(found);
  }

  // What follows a number: "/3", " of 3", "%", and for a throughput its unit.
  void TakeSuffix(Found& found) {
    const size_t back = scan_.position();
    if (found.metric == Metric::kThroughput) {
      scan_.SkipAnyOf(kBlanks);
      const std::vector<std::string> unit = NameParts(scan_.TakeIdentifier());
      if (unit.size() == 2 && IsCountedThing(unit[0])) found.has_unit = true;
      return scan_.Back(back);
    }
    if (found.metric == Metric::kAccuracy) {
      scan_.SkipAnyOf(kBlanks);
      found.percent = scan_.Take("%");
      if (!found.percent) scan_.Back(back);
    }
    // "Loss 0.3 (0.4)" is one batch and the mean so far: the mean is the evaluation's value.
    const bool evaluation = found.phase == Phase::kValidation || found.phase == Phase::kTest;
    if (evaluation && !found.percent) TakeMeanInBrackets(found);
    if (found.metric == Metric::kLoss || found.metric == Metric::kLearningRate) return;
    found.total = TakeTotal();
  }

  void TakeMeanInBrackets(Found& found) {
    const size_t back = scan_.position();
    scan_.SkipAnyOf(kBlanks);
    const bool open = scan_.Take("(");
    scan_.SkipAnyOf(kBlanks);
    const auto mean = open ? scan_.TakeNumber() : std::nullopt;
    if (mean && scan_.Take(")")) {
      found.value = *mean;
    } else {
      scan_.Back(back);
    }
  }

  // Over ": ", "=", " is ", "'", "[", "(Momentum): ", "tensor(". A dash is no separator:
  // "10ms/step - loss: 0.3".
  bool SkipToValue(Metric metric, bool& assigned) {
    constexpr std::string_view kBetween = " \t:='\"[";
    if (scan_.Peek() == '(') {  // lr(Momentum), Epoch(train)
      if (metric != Metric::kLearningRate && metric != Metric::kEpoch) return false;
      scan_.Skip();
      const std::string_view word = scan_.TakeWord();
      if (word.empty() || !scan_.Take(")")) return false;
      if (metric == Metric::kEpoch && reading_.phase == Phase::kNone)
        reading_.phase = PhaseOfWord(Lower(word));
    }
    if (!kBetween.contains(scan_.Peek())) return false;
    const size_t begin = scan_.position();
    scan_.SkipAnyOf(kBetween);
    const size_t back = scan_.position();
    if (const std::string_view word = scan_.TakeWord(); word == "is" || word == "of") {
      scan_.SkipAnyOf(kBetween);
    } else if (word == "tensor" && scan_.Take("(")) {
      scan_.SkipAnyOf(kBetween);
    } else {
      scan_.Back(back);
    }
    for (size_t at = begin; at < back; ++at) {
      LineScanner look = scan_;
      look.Back(at);
      assigned = assigned || look.Peek() == ':' || look.Peek() == '=';
    }
    return true;
  }

  // Behind an epoch: "[1](100/390)", "[1][ 100/390]", "[1/3]: [31/40]".
  void TakeStepInBrackets(Phase phase) {
    const size_t back = scan_.position();
    scan_.SkipAnyOf(" ]:");
    if (scan_.Peek() == '(' || scan_.Peek() == '[') {
      scan_.Skip();
      scan_.SkipAnyOf(kBlanks);
      const auto step = scan_.TakeNumber();
      const auto total = step ? TakeTotal() : std::nullopt;
      scan_.SkipAnyOf(kBlanks);
      if (total && scan_.Peek() != '(') {  // "[1920/60000 (3%)]" counts samples
        Add({.metric = Metric::kStep, .phase = phase, .value = *step, .total = total});
        return;
      }
    }
    scan_.Back(back);
  }

  std::optional<double> TakeTotal() {
    const size_t back = scan_.position();
    scan_.SkipAnyOf(kBlanks);
    if (scan_.Take("/") || scan_.Take("of ")) {
      scan_.SkipAnyOf(kBlanks);
      const auto total = scan_.TakeNumber();
      if (total && *total > 0 && !IsLetter(scan_.Peek())) return total;
    }
    scan_.Back(back);
    return std::nullopt;
  }

  // "320.5 images/s"
  void TakeAmount(double number) {
    const size_t back = scan_.position();
    scan_.SkipAnyOf(kBlanks);
    const std::vector<std::string> unit = NameParts(scan_.TakeIdentifier());
    const MetricName metric = FindMetric(unit, unit.size());
    // With a colon the unit is the name of what follows.
    if (unit.size() == 2 && metric.metric == Metric::kThroughput && scan_.Peek() != ':') {
      return Add({.metric = Metric::kThroughput,
                  .phase = reading_.phase,
                  .value = number,
                  .has_unit = true});
    }
    scan_.Back(back);
  }

  LineScanner scan_;
  TextReading reading_;
  std::vector<std::string> phrase_;
};

}  // namespace

TextReading ReadText(std::string_view line) { return TextReader(line).Read(); }

}  // namespace muster::metrics
