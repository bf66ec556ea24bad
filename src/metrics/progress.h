#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "metrics/bar.h"
#include "metrics/measured.h"
#include "metrics/skipped_lines.h"
#include "metrics/text_line.h"

namespace muster::metrics {

enum class LineEnd {
  kNewline,
  kReturn,  // '\r': the line is redrawn
  kCut,     // the output ends within the line
};

// The latest values of one rank's output, line by line: "epoch", "epochs", "step", "steps", "loss",
// "accuracy", "learning_rate", "throughput" (items per second), with val_ and test_ before the ones
// of other phases, and the numbers of JSON lines under their own names. Accuracies are fractions.
// Where the meaning of a number is uncertain, nothing is taken.
class Progress {
 public:
  // True when a value changed.
  bool Take(std::string_view line, LineEnd end = LineEnd::kNewline);
  const Values& values() const { return measured_.values; }
  const Measured& measured() const { return measured_; }

 private:
  void TakeClean(std::string_view line, LineEnd end);
  void TakeText(std::string_view line, LineEnd end);
  void TakeBar(const Bar& bar, LineEnd end);
  void TakePlainBar(const Bar& bar);
  bool TakeKerasBar(const Bar& bar);
  void TakeCounts(BarKind kind, const Bar& bar);
  void TakeHeading(std::string_view line, const TextReading& reading);
  void TakeReading(TextReading reading, LineEnd end);
  void ResolvePhases(TextReading& reading);
  void CheckSection(const TextReading& reading);
  Phase ResolvedPhase(const Found& found, const TextReading& reading) const;
  void Apply(const TextReading& reading, LineEnd end);
  void Apply(const Found& found);
  void CheckWriters(std::string_view line, const TextReading& reading);
  bool IsFromLowestRank(std::string_view& line);
  std::optional<double> Fraction(const std::string& name, const Found& found);
  void Put(const std::string& name, double value);
  void Forget(std::string_view name);

  Measured measured_;
  SkippedLines skipped_;
  std::string held_;               // a line whose last number may be cut off
  Phase section_ = Phase::kNone;   // the phase that values without one belong to
  std::set<Metric> section_has_;   // measured in this section without its name in each line
  bool headed_ = false;            // a heading began the section
  bool trained_ = true;            // training values came since the last such heading
  bool counted_ = false;           // training values of this output stand beside a step or epoch
  std::set<std::string> percent_;  // accuracies that this output has in percent
  std::optional<int> lowest_rank_;
  // Bars without a description.
  double plain_total_ = 0, plain_count_ = 0;
  int other_bars_ = 0;
  bool bars_have_loss_ = false;
  // Bars of Keras belong to the training between "Epoch 2/3" and the bar's end.
  bool epoch_headings_ = false;
  double keras_total_ = 0, keras_count_ = 0;
  bool keras_open_ = false;
  // Two writers that print the same step with different losses.
  Position writer_at_;
  std::string writer_form_;  // the line without its numbers
  double writer_loss_ = 0;
  int conflicts_ = 0;
};

// The values of a single line.
Values ReadLine(std::string_view line);

}  // namespace muster::metrics
