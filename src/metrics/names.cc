#include "metrics/names.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "base/text.h"

namespace muster::metrics {

namespace {

using Words = std::initializer_list<std::string_view>;

bool IsOneOf(std::string_view word, Words words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool IsAccuracy(std::string_view word) {
  return IsOneOf(word,
                 {"acc", "accuracy", "acc1", "acc@1", "accuracy@1", "top1", "prec@1", "prec1"});
}

bool IsPerSecond(std::string_view word) { return IsOneOf(word, {"s", "sec", "second"}); }

struct Head {
  Metric metric = Metric::kNone;
  size_t size = 0;  // words
};

bool EndsWith(std::span<const std::string> parts, Words words) {
  if (parts.size() < words.size()) return false;
  return std::equal(words.begin(), words.end(), parts.end() - ptrdiff_t(words.size()));
}

Head FindThroughput(std::span<const std::string> parts) {
  const size_t count = parts.size();
  if (IsOneOf(parts.back(), {"ips", "tps", "throughput"})) return {Metric::kThroughput, 1};
  if (!IsPerSecond(parts.back())) return {};
  if (count > 1 && IsCountedThing(parts[count - 2])) return {Metric::kThroughput, 2};
  if (count > 2 && parts[count - 2] == "per" && IsCountedThing(parts[count - 3]))
    return {Metric::kThroughput, 3};
  return {};
}

// The words at the end of the phrase that are the metric itself.
Head FindHead(std::span<const std::string> parts) {
  if (EndsWith(parts, {"loss"})) return {Metric::kLoss, 1};
  if (EndsWith(parts, {"loss", "value"}) || EndsWith(parts, {"loss", "step"}))
    return {Metric::kLoss, 2};
  if (EndsWith(parts, {"top", "1"})) return {Metric::kAccuracy, 2};
  if (IsAccuracy(parts.back())) {
    const bool top1 = EndsWith(parts.first(parts.size() - 1), {"top", "1"});
    return {Metric::kAccuracy, top1 ? size_t{3} : size_t{1}};
  }
  if (EndsWith(parts, {"lr"})) return {Metric::kLearningRate, 1};
  if (EndsWith(parts, {"learning", "rate"})) return {Metric::kLearningRate, 2};
  if (IsOneOf(parts.back(), {"step", "iter", "iteration", "it", "batch"}))
    return {Metric::kStep, 1};
  if (IsOneOf(parts.back(), {"epoch", "ep"})) return {Metric::kEpoch, 1};
  return FindThroughput(parts);
}

// Words in front of a metric that leave its meaning as it is.
bool IsNeutral(Metric metric, std::string_view word) {
  switch (metric) {
    case Metric::kLoss:
      if (IsOneOf(word, {"total", "lm", "cross", "entropy", "ce", "overall", "batch"})) return true;
      break;
    case Metric::kAccuracy:
      if (IsOneOf(word, {"overall", "batch"})) return true;
      break;
    case Metric::kStep:
    case Metric::kEpoch:
      if (IsOneOf(word, {"global", "current", "cur"})) return true;
      break;
    case Metric::kThroughput:
      if (IsOneOf(word, {"interval"})) return true;
      break;
    case Metric::kLearningRate:
    case Metric::kNone:
      break;
  }
  return false;
}

bool IsMean(std::string_view word) { return IsOneOf(word, {"avg", "average", "mean", "final"}); }

// Words of a sentence or of a logger in front of a metric. They are no part of its name.
bool IsFiller(std::string_view word) {
  return IsOneOf(
      word, {"info", "debug",    "warning",   "success", "and",     "with",  "the",   "current",
             "at",   "on",       "results",   "result",  "metrics", "set",   "end",   "of",
             "done", "finished", "completed", "step",    "iter",    "epoch", "batch", "after",
             "now",  "worker",   "rank",      "for",     "gives",   "got",   "has",   "i"});
}

}  // namespace

std::vector<std::string> NameParts(std::string_view name) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : Lower(name)) {
    if (!std::string_view("_/.-").contains(c)) {
      part += c;
    } else if (!part.empty()) {
      parts.push_back(std::exchange(part, {}));
    }
  }
  if (!part.empty()) parts.push_back(std::move(part));
  return parts;
}

MetricName FindMetric(std::span<const std::string> parts, size_t identifier) {
  if (parts.empty()) return {};
  const Head head = FindHead(parts);
  if (head.metric == Metric::kNone) return {};
  MetricName name{head.metric};
  for (size_t left = parts.size() - head.size; left-- > 0;) {
    const std::string& word = parts[left];
    const bool inside = parts.size() - left <= identifier;
    const Phase phase = PhaseOfWord(word);
    if (phase == Phase::kOther) return {head.metric, phase};
    if (phase != Phase::kNone) {
      if (name.phase == Phase::kNone) name.phase = phase;
    } else if (IsMean(word)) {
      name.mean = true;
    } else if (!IsNeutral(head.metric, word)) {
      if (!inside && IsFiller(word)) break;
      return {};
    }
  }
  return name;
}

Phase PhaseOfWord(std::string_view word) {
  if (IsOneOf(word, {"train", "training", "tr"})) return Phase::kTrain;
  if (IsOneOf(word, {"val", "valid", "validate", "validating", "validation", "eval", "evaluate",
                     "evaluating", "evaluation", "dev"}))
    return Phase::kValidation;
  if (IsOneOf(word, {"test", "testing", "predict", "predicting", "prediction", "inference"}))
    return Phase::kTest;
  if (IsOneOf(word, {"best",       "baseline",   "expected",   "target",    "previous",
                     "last",       "loading",    "loaded",     "load",      "resume",
                     "resuming",   "resumed",    "restoring",  "restored",  "saving",
                     "saved",      "pretrained", "namespace",  "config",    "configuration",
                     "arguments",  "args",       "parameters", "params",    "hyperparameters",
                     "overriding", "override",   "improved",   "decreased", "usage"}))
    return Phase::kOther;
  return Phase::kNone;
}

std::string_view KeptName(Metric metric, Phase phase) {
  if (phase == Phase::kOther) return {};
  const bool validation = phase == Phase::kValidation, test = phase == Phase::kTest;
  switch (metric) {
    case Metric::kLoss:
      return validation ? "val_loss" : test ? "test_loss" : "loss";
    case Metric::kAccuracy:
      return validation ? "val_accuracy" : test ? "test_accuracy" : "accuracy";
    case Metric::kEpoch:
      return "epoch";
    case Metric::kLearningRate:
      return validation || test ? "" : "learning_rate";
    case Metric::kThroughput:
      return validation || test ? "" : "throughput";
    case Metric::kStep:
      return validation || test ? "" : "step";
    case Metric::kNone:
      break;
  }
  return {};
}

bool IsCountedThing(std::string_view word) {
  return IsOneOf(
      word, {"example", "examples", "frames", "image", "images", "imgs", "img", "items", "pictures",
             "records", "sample", "samples", "seq", "sequences", "tokens", "words", "sentences"});
}

}  // namespace muster::metrics
