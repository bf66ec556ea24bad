#include "metrics/progress.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "metrics/json_line.h"
#include "metrics/log_line.h"

namespace muster::metrics {

namespace {

constexpr int kMostConflicts = 1;
constexpr double kMostCount = 1e15;

bool HasMetric(const TextReading& reading, Metric metric) {
  return std::ranges::any_of(reading.found,
                             [metric](const Found& found) { return found.metric == metric; });
}

bool HasMeasure(const TextReading& reading) {
  return HasMetric(reading, Metric::kLoss) || HasMetric(reading, Metric::kAccuracy) ||
         std::ranges::any_of(reading.found, [](const Found& found) {
           return found.metric == Metric::kThroughput && found.has_unit;
         });
}

bool HasCount(const TextReading& reading) {
  return HasMetric(reading, Metric::kStep) || HasMetric(reading, Metric::kEpoch);
}

bool IsEvaluation(Phase phase) { return phase == Phase::kValidation || phase == Phase::kTest; }

bool IsCount(double value, bool whole) {
  return value >= 0 && value < kMostCount && (!whole || value == std::floor(value));
}

// Whether a value is certain enough in the company of the others on its line.
bool IsCertain(const Found& found, const TextReading& reading) {
  const bool measured = HasMeasure(reading), counted = HasCount(reading);
  switch (found.metric) {
    case Metric::kLoss:
      return true;
    case Metric::kAccuracy:
      // "epoch 1: {'accuracy': 0.8}": most often of the evaluation.
      return IsEvaluation(found.phase) || HasMetric(reading, Metric::kLoss) ||
             !HasMetric(reading, Metric::kEpoch) || HasMetric(reading, Metric::kStep);
    case Metric::kLearningRate:
      return measured || counted;
    case Metric::kThroughput:
      return found.value >= 0 && std::isfinite(found.value) && (found.has_unit || measured);
    case Metric::kStep:
      return IsCount(found.value, true) && (!found.assigned || found.total || measured);
    case Metric::kEpoch:
      return IsCount(found.value, false) && (!found.assigned || found.total || measured);
    case Metric::kNone:
      break;
  }
  return false;
}

}  // namespace

Values ReadLine(std::string_view line) {
  Progress progress;
  progress.Take(line);
  return progress.values();
}

bool Progress::Take(std::string_view line, LineEnd end) {
  const Measured before = measured_;
  const std::string clean = CleanLine(line);
  const bool is_tqdm = FindBar(clean).has_value();
  // A bar that starts within a line of another writer cuts that line off.
  if (const std::string held = std::exchange(held_, {}); !held.empty() && !is_tqdm)
    TakeText(held, LineEnd::kNewline);
  TakeClean(clean, end);
  return !Same(measured_, before);
}

void Progress::TakeClean(std::string_view line, LineEnd end) {
  if (!IsFromLowestRank(line) || skipped_.Skips(line) || line.empty()) return;
  if (const auto object = FindJsonObject(line)) {
    const Values values = ReadJsonLine(*object);
    for (const char* count : {"step", "epoch"})
      if (const auto found = values.find(count); found != values.end()) Put(count, found->second);
    for (const auto& [name, value] : values) Put(name, value);
    return;
  }
  const auto bar = FindBar(line);
  if (bar) return TakeBar(*bar, end);
  TakeText(line, end);
  if (end == LineEnd::kReturn) held_ = line;
}

// "[default1]: ", "[rank1]: ", "[1,1]<stdout>:": several ranks write into one output.
bool Progress::IsFromLowestRank(std::string_view& line) {
  LineScanner scan(line);
  if (!scan.Take("[")) return true;
  std::optional<double> rank;
  const std::string_view word = scan.TakeWord();
  LineScanner number(word);
  for (const std::string_view name : {"default", "rank", "worker"})
    if (number.Take(name)) rank = number.TakeNumber();
  if (word.empty() && scan.TakeNumber() && scan.Take(",")) {
    rank = scan.TakeNumber();
    if (!scan.Take("]<std")) return true;
    scan.TakeWord();
    if (!scan.Take(">:")) return true;
  } else if (!scan.Take("]:")) {
    return true;
  }
  if (!rank || *rank < 0 || *rank > 1e6) return true;
  line = scan.rest();
  if (line.starts_with(' ')) line.remove_prefix(1);
  if (lowest_rank_ && int(*rank) > *lowest_rank_) return false;
  if (lowest_rank_ && int(*rank) < *lowest_rank_) measured_ = {};
  lowest_rank_ = int(*rank);
  return true;
}

void Progress::TakeText(std::string_view line, LineEnd end) {
  TextReading reading = ReadText(line);
  if (!HasMeasure(reading)) TakeHeading(line, reading);
  ResolvePhases(reading);
  if (end == LineEnd::kNewline) CheckWriters(line, reading);
  Apply(reading, end);
}

// "***** Running Evaluation *****", "Validation:", "Epoch 2/3".
void Progress::TakeHeading(std::string_view line, const TextReading& reading) {
  const std::string_view text = Trim(line);
  if (text.starts_with("Epoch ") && reading.found.size() == 1 && reading.found[0].total) {
    epoch_headings_ = keras_open_ = true;
    keras_count_ = 0;
    section_ = Phase::kNone;
    headed_ = false;
  }
  const bool heading = text.starts_with("***") || text.starts_with("===") ||
                       text.starts_with("---") || text.ends_with(':') || text.ends_with("...");
  if (!heading || text.size() > 80) return;
  if (reading.phase == Phase::kNone || reading.phase == Phase::kOther) return;
  const bool summary = text.contains("metrics") && reading.phase == Phase::kTrain;
  // A second evaluation without training between may be one of other data.
  const bool again = IsEvaluation(reading.phase) && !std::exchange(trained_, false);
  section_ = summary || again ? Phase::kOther : reading.phase;
  headed_ = true;
}

// Ends a section when a line does not belong to it.
void Progress::CheckSection(const TextReading& reading) {
  const auto step = std::ranges::find(reading.found, Metric::kStep, &Found::metric);
  if (step == reading.found.end() || reading.phase != Phase::kNone) return;
  const auto steps = measured_.values.find("steps");
  const bool other_loop =
      headed_ && step->total && steps != measured_.values.end() && steps->second != *step->total;
  if (other_loop) return;
  section_ = Phase::kNone;
  headed_ = false;
}

Phase Progress::ResolvedPhase(const Found& found, const TextReading& reading) const {
  Phase phase = found.phase;
  // Without a heading, only a metric that is missing in the lines before: "val acc" behind them.
  const bool inherits = headed_ || (!HasCount(reading) && !section_has_.contains(found.metric));
  if (phase == Phase::kNone && inherits) phase = section_;
  if (phase == Phase::kNone) phase = Phase::kTrain;
  if (phase == Phase::kTrain && section_ == Phase::kOther) return Phase::kOther;
  if (phase == Phase::kTrain && found.mean) return Phase::kOther;
  const bool is_loss = found.metric == Metric::kLoss;
  if (phase == Phase::kTrain && is_loss && reading.is_summary) return Phase::kOther;
  const bool measure = is_loss || found.metric == Metric::kAccuracy;
  // Outputs with steps or epochs beside their values: a value without them is another one.
  const bool lonely = counted_ && !HasCount(reading) && found.phase == Phase::kNone;
  return measure && lonely && phase == Phase::kTrain ? Phase::kOther : phase;
}

void Progress::ResolvePhases(TextReading& reading) {
  CheckSection(reading);
  Phase next = section_;
  for (Found& found : reading.found) {
    const bool says = found.phase != Phase::kNone;
    found.phase = ResolvedPhase(found, reading);
    if (found.metric != Metric::kLoss && found.metric != Metric::kAccuracy) continue;
    if (found.phase == Phase::kTrain) {
      trained_ = true;
      counted_ = counted_ || HasCount(reading);
      next = Phase::kNone;
      section_has_.clear();
    } else if (says && IsEvaluation(found.phase)) {
      if (next != found.phase) section_has_.clear();
      next = found.phase;
    }
    section_has_.insert(found.metric);
    if (says) headed_ = false;
  }
  section_ = headed_ ? section_ : next;
}

void Progress::TakeReading(TextReading reading, LineEnd end) {
  ResolvePhases(reading);
  Apply(reading, end);
}

void Progress::Apply(const TextReading& reading, LineEnd end) {
  if (conflicts_ > kMostConflicts) return;
  // Positions first: the values of a line belong to its step and epoch.
  for (const bool counts : {true, false})
    for (const Found& found : reading.found) {
      const bool is_count = found.metric == Metric::kStep || found.metric == Metric::kEpoch;
      const bool maybe_cut = found.at_end && end != LineEnd::kNewline;
      if (is_count == counts && !maybe_cut && IsCertain(found, reading)) Apply(found);
    }
}

// Several ranks that write into one output without a prefix print each step once per rank.
void Progress::CheckWriters(std::string_view line, const TextReading& reading) {
  Position at;
  std::optional<double> loss;
  for (const Found& found : reading.found) {
    if (found.metric == Metric::kStep) at.step = found.value;
    if (found.metric == Metric::kEpoch) at.epoch = found.value;
    if (found.metric == Metric::kLoss && found.phase == Phase::kTrain) loss = found.value;
  }
  if (!at.step || !loss) return;
  std::string form;
  std::ranges::copy_if(line, std::back_inserter(form),
                       [](char c) { return c > '9' || (c < '0' && c != '-' && c != '.'); });
  const bool differs = *loss != writer_loss_ && !(std::isnan(*loss) && std::isnan(writer_loss_));
  if (at == writer_at_ && differs && form == writer_form_ && ++conflicts_ > kMostConflicts)
    measured_ = {};
  writer_at_ = at;
  writer_form_ = std::move(form);
  writer_loss_ = *loss;
}

void Progress::Apply(const Found& found) {
  const std::string name(KeptName(found.metric, found.phase));
  if (name.empty()) return;
  double value = found.value;
  if (found.metric == Metric::kAccuracy) {
    const auto fraction = Fraction(name, found);
    if (!fraction) return;
    value = *fraction;
  }
  Put(name, value);
  const bool is_count = found.metric == Metric::kStep || found.metric == Metric::kEpoch;
  if (is_count && found.total) Put(name + "s", *found.total);
}

// "0.89", "89.4%", "9837/10000", or 89.4 in an output that has percent without the sign.
std::optional<double> Progress::Fraction(const std::string& name, const Found& found) {
  double value = found.value;
  if (!std::isfinite(value)) return std::isnan(value) ? std::optional(value) : std::nullopt;
  if (found.total) {
    value /= *found.total;
  } else if (found.percent) {
    value /= 100;
  } else {
    if (value > 1) percent_.insert(name);
    if (percent_.contains(name)) value /= 100;
  }
  if (value < 0 || value > 1) return std::nullopt;
  return value;
}

void Progress::Put(const std::string& name, double value) { PutValue(measured_, name, value); }

void Progress::Forget(std::string_view name) { measured_.values.erase(std::string(name)); }

}  // namespace muster::metrics
