#include "metrics/text_line.h"

#include "metrics/log_line.h"
#include "metrics/names.h"

namespace muster::metrics {

namespace {

constexpr std::string_view kBlanks = " \t";

// Reads one line from left to right: names with the value that follows, amounts with the unit that
// follows, and counts of progress bars.
class TextReader {
 public:
  explicit TextReader(std::string_view line) : scan_(line) {}

  Values Read() {
    while (!scan_.AtEnd()) {
      if (const std::string_view word = scan_.TakeWord(); !word.empty()) {
        TakeName(word);
      } else if (const size_t before = scan_.position(); const auto number = scan_.TakeNumber()) {
        TakeAmount(*number, before);
      } else {
        scan_.Skip();
      }
    }
    return std::move(values_);
  }

 private:
  void Put(std::string_view name, double value) { values_.emplace(name, value); }

  void TakeName(std::string_view word) {
    if (IsCountedThing(word)) return TakeRateBefore();
    if (word == "learning" || word == "Learning") {
      const size_t back = scan_.position();
      scan_.SkipAnyOf(kBlanks);
      if (!scan_.Take("rate")) return scan_.Back(back);
      word = "lr";
    }
    const std::string_view name = CommonName(word);
    if (name.empty()) return;
    const size_t back = scan_.position();
    if (!SkipToValue()) return scan_.Back(back);
    const std::optional<double> number = scan_.TakeNumber();
    if (!number) return scan_.Back(back);
    TakeValue(name, *number);
  }

  // Over ": ", "=", " is ", "'", "[", "(Momentum): ": what stands between a name and its number.
  // A dash is no such thing: "10ms/step - loss: 0.3".
  bool SkipToValue() {
    constexpr std::string_view kBetween = " \t:='\"[";
    if (scan_.Peek() == '(') {  // lr(Momentum)
      scan_.Skip();
      if (scan_.TakeWord().empty() || !scan_.Take(")")) return false;
    }
    if (!kBetween.contains(scan_.Peek())) return false;
    scan_.SkipAnyOf(kBetween);
    const size_t back = scan_.position();
    if (const std::string_view word = scan_.TakeWord(); word == "is" || word == "of") {
      scan_.SkipAnyOf(kBetween);
    } else {
      scan_.Back(back);
    }
    return true;
  }

  void TakeValue(std::string_view name, double value) {
    if (name == "epoch" || name == "step") return TakeCount(name, value);
    if (name == "accuracy" || name == "val_accuracy") return TakeAccuracy(name, value);
    Put(name, value);
  }

  // "2/3", "2 of 3", and behind an epoch "[1](100/390)" or "[1][ 100/390]".
  void TakeCount(std::string_view name, double value) {
    Put(name, value);
    if (const auto total = TakeTotal()) Put(name == "epoch" ? "epochs" : "steps", *total);
    if (name != "epoch") return;
    const size_t back = scan_.position();
    scan_.SkipAnyOf(" ]");
    if (scan_.Peek() == '(' || scan_.Peek() == '[') {
      scan_.Skip();
      scan_.SkipAnyOf(kBlanks);
      const auto step = scan_.TakeNumber();
      const auto steps = step ? TakeTotal() : std::nullopt;
      if (steps) {
        Put("step", *step);
        Put("steps", *steps);
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
      if (const auto total = scan_.TakeNumber(); total && *total > 0) return total;
    }
    scan_.Back(back);
    return std::nullopt;
  }

  // "0.89", "89.4%", "9837/10000": always kept as a fraction.
  void TakeAccuracy(std::string_view name, double value) {
    if (const auto total = TakeTotal()) {
      if (value <= *total) Put(name, value / *total);
      return;
    }
    if (scan_.Peek() == '/') return;
    const size_t back = scan_.position();
    scan_.SkipAnyOf(kBlanks);
    const bool percent = scan_.Take("%") || value > 1;
    if (!percent) scan_.Back(back);
    if (percent) value /= 100;
    if (value >= 0 && value <= 1) Put(name, value);
  }

  // Past "/s", "/sec", "/second"; false and nothing taken for another unit.
  bool TakePerSecond() {
    const size_t back = scan_.position();
    if (scan_.Take("/")) {
      const std::string_view unit = scan_.TakeWord();
      if (unit == "s" || unit == "sec" || unit == "second") return true;
    }
    scan_.Back(back);
    return false;
  }

  // "images/sec: 1234.5"
  void TakeRateBefore() {
    if (!TakePerSecond()) return;
    const size_t back = scan_.position();
    scan_.SkipAnyOf(" \t:=");
    if (const auto number = scan_.TakeNumber()) return Put("throughput", *number);
    scan_.Back(back);
  }

  // "320.5 images/s", and the counts of progress bars: "469/469 [====" and "100/200 [00:10<00:10".
  void TakeAmount(double number, size_t begin) {
    const size_t back = scan_.position();
    scan_.SkipAnyOf(kBlanks);
    if (IsCountedThing(scan_.TakeWord()) && TakePerSecond() && scan_.Peek() != ':') {
      return Put("throughput", number);  // with a colon the unit is the name of what follows
    }
    scan_.Back(back);
    if (const auto total = TakeTotal(); total && BarFollows(begin)) {
      Put("step", number);
      Put("steps", *total);
    }
  }

  bool BarFollows(size_t begin) const {
    LineScanner ahead = scan_;
    ahead.SkipAnyOf(kBlanks);
    if (!ahead.Take("[")) return false;
    if (std::string_view("=>.#").contains(ahead.Peek())) return begin == 0;
    const std::string_view inside = ahead.rest().substr(0, ahead.rest().find(']'));
    return inside.contains('<') && inside.contains(':');
  }

  LineScanner scan_;
  Values values_;
};

}  // namespace

Values ReadText(std::string_view line) { return TextReader(line).Read(); }

}  // namespace muster::metrics
