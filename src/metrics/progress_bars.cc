// The part of Progress that follows progress bars.
#include <algorithm>

#include "metrics/progress.h"

namespace muster::metrics {

namespace {

constexpr int kMostOtherBars = 2;

bool HasLoss(const TextReading& reading) {
  return std::ranges::any_of(reading.found,
                             [](const Found& found) { return found.metric == Metric::kLoss; });
}

}  // namespace

void Progress::TakeBar(const Bar& bar, LineEnd end) {
  if (bar.keras && !TakeKerasBar(bar)) return;
  TextReading postfix = ReadText(bar.postfix);
  BarKind kind = bar.keras ? BarKind::kSteps : KindOf(bar.description);
  const bool has_loss = HasLoss(postfix);
  if (has_loss && (kind == BarKind::kPlain || kind == BarKind::kOther)) {
    bars_have_loss_ = true;
    kind = BarKind::kSteps;
  }
  if (kind == BarKind::kPlain) TakePlainBar(bar);
  if (kind == BarKind::kSteps || kind == BarKind::kEpochs) {
    if (!bar.description.empty()) TakeReading(ReadText(bar.description), LineEnd::kNewline);
    TakeCounts(kind, bar);
    section_ = Phase::kNone;
  }
  if (kind == BarKind::kEvaluation)
    for (Found& found : postfix.found)
      if (found.phase == Phase::kNone) found.phase = Phase::kValidation;
  std::erase_if(postfix.found, [](const Found& found) { return found.metric == Metric::kStep; });
  if (kind != BarKind::kOther) TakeReading(std::move(postfix), LineEnd::kNewline);
  if (!bar.after.empty()) TakeClean(bar.after, end);
}

void Progress::TakeCounts(BarKind kind, const Bar& bar) {
  if (!bar.count || conflicts_ > 1) return;
  const bool epochs = kind == BarKind::kEpochs;
  Put(epochs ? "epoch" : "step", *bar.count);
  if (bar.total) Put(epochs ? "epochs" : "steps", *bar.total);
}

// Bars without a description are the training's when there is one such loop. A shorter bar is an
// evaluation; a longer one replaces a preparation. After several shorter bars it is uncertain.
void Progress::TakePlainBar(const Bar& bar) {
  if (!bar.count || !bar.total || bars_have_loss_ || other_bars_ > kMostOtherBars) return;
  const bool over = plain_count_ >= plain_total_;
  if (*bar.total == plain_total_ || (over && *bar.total > plain_total_)) {
    plain_total_ = *bar.total;
    plain_count_ = *bar.count;
    other_bars_ = 0;
    return TakeCounts(BarKind::kSteps, bar);
  }
  if (!over || *bar.count != *bar.total || ++other_bars_ <= kMostOtherBars) return;
  Forget("step");
  Forget("steps");
}

// False for the bar of an evaluation or a prediction.
bool Progress::TakeKerasBar(const Bar& bar) {
  if (!epoch_headings_) return true;
  if (!keras_open_) return false;
  const double total = bar.total.value_or(0), count = bar.count.value_or(0);
  const bool goes_on = keras_count_ == 0 || (total == keras_total_ && count >= keras_count_);
  if (!goes_on) return keras_open_ = false;
  keras_total_ = total;
  keras_count_ = count;
  return true;
}

}  // namespace muster::metrics
