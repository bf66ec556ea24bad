#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::metrics {

enum class Metric { kNone, kLoss, kAccuracy, kLearningRate, kThroughput, kStep, kEpoch };
// What a value was measured on. kOther: not a value of this run (best so far, loaded, configured).
enum class Phase { kNone, kTrain, kValidation, kTest, kOther };

struct MetricName {
  Metric metric = Metric::kNone;
  Phase phase = Phase::kNone;  // kNone: the name does not say
  bool mean = false;           // "average loss": not the value of one step
};

// Lower-case parts of a name: "train/Loss_step" is train, loss, step.
std::vector<std::string> NameParts(std::string_view name);

// The metric that `parts` name. `parts` are the words of one phrase, the last `identifier` of them
// from one identifier. A qualifier that is not known ("teacher loss", "loss_cls") names another
// metric: kNone.
MetricName FindMetric(std::span<const std::string> parts, size_t identifier);

// The phase that a single word names ("val", "Evaluating", "best"), kNone for other words.
Phase PhaseOfWord(std::string_view lower_case_word);

// The name under which a value is kept: "loss", "val_accuracy"; empty when there is none.
std::string_view KeptName(Metric metric, Phase phase);

// True for "images", "samples", "tokens": a throughput counts such things per second.
bool IsCountedThing(std::string_view lower_case_word);

}  // namespace muster::metrics
