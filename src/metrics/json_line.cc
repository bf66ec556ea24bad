#include "metrics/json_line.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "metrics/names.h"

namespace muster::metrics {

namespace {

constexpr size_t kMaxPrefix = 160;  // "[worker0]:", "[1,0]<stdout>:", a time stamp and a module

// Python's spellings of the numbers that JSON does not have, quoted. Text in quotes stays.
std::string QuoteNonFinite(std::string_view line) {
  constexpr std::array<std::string_view, 3> kWords{"-Infinity", "Infinity", "NaN"};
  std::string text;
  bool quoted = false;
  for (size_t at = 0; at < line.size();) {
    if (line[at] == '"') quoted = !quoted;
    if (quoted && line[at] == '\\' && at + 1 < line.size()) text += line[at++];
    const auto found = std::ranges::find_if(
        kWords, [&](std::string_view word) { return line.substr(at).starts_with(word); });
    if (quoted || found == kWords.end()) {
      text += line[at++];
      continue;
    }
    text += '"';
    text += *found;
    text += '"';
    at += found->size();
  }
  return text;
}

// The phase of an object such as {"split": "val", "loss": 0.3}.
Phase PhaseOf(const json::object& object) {
  for (const std::string_view key :
       {"phase", "split", "mode", "stage", "subset", "event", "type"}) {
    const std::string_view text = GetString(object, key);
    for (const std::string& part : NameParts(text))
      if (const Phase phase = PhaseOfWord(part); phase != Phase::kNone) return phase;
  }
  return Phase::kNone;
}

bool LooksLikeConfiguration(const json::object& object) {
  constexpr std::array<std::string_view, 14> kSettings{
      "batch_size", "seed",      "num_workers", "weight_decay", "momentum",
      "dropout",    "optimizer", "dataset",     "data_path",    "output_dir",
      "model",      "arch",      "epochs",      "num_epochs"};
  return std::ranges::count_if(kSettings,
                               [&](std::string_view key) { return object.contains(key); }) >= 2;
}

// The number of a member; for a known metric also as text ("0.8316").
std::optional<double> NumberOf(const json::value& value, bool known) {
  if (value.is_string() && !known) return std::nullopt;
  if (const auto number = NumberFromJson(value)) return number;
  return value.is_string() ? ParseDouble(value.get_string()) : std::nullopt;
}

std::optional<double> Fraction(double value) {
  if (value > 1) value /= 100;
  if (value < 0 || value > 1) return std::nullopt;
  return value;
}

}  // namespace

std::optional<json::object> ParsePythonJson(std::string_view line) {
  auto parsed = ParseJson(QuoteNonFinite(line));
  if (!parsed || !parsed->is_object()) return std::nullopt;
  return std::move(parsed->get_object());
}

std::optional<json::object> FindJsonObject(std::string_view line) {
  line = Trim(line);
  const size_t open = line.substr(0, kMaxPrefix).find("{\"");
  if (open == std::string_view::npos || line.back() != '}') return std::nullopt;
  return ParsePythonJson(line.substr(open));
}

Values ReadJsonLine(const json::object& object) {
  Values values;
  const Phase line_phase = PhaseOf(object);
  if (LooksLikeConfiguration(object) || line_phase == Phase::kOther) return values;
  const bool summary = object.contains("train_runtime");
  for (const auto& member : object) {
    const std::string_view key = member.key();
    const std::vector<std::string> parts = NameParts(key);
    MetricName name = FindMetric(parts, parts.size());
    const bool known = name.metric != Metric::kNone;
    auto number = NumberOf(member.value(), known);
    if (!number || values.size() >= kMaxNames || key.size() > kMaxNameLength) continue;
    if (name.phase == Phase::kNone) name.phase = line_phase;
    if (name.mean && (name.phase == Phase::kNone || name.phase == Phase::kTrain))
      name.metric = Metric::kNone;
    if (summary && name.metric == Metric::kLoss) continue;
    if (name.metric == Metric::kNone) {
      values.emplace(CleanUtf8(key), *number);
      continue;
    }
    if (name.metric == Metric::kAccuracy && std::isfinite(*number)) number = Fraction(*number);
    const std::string_view kept = KeptName(name.metric, name.phase);
    if (number && !kept.empty()) values.emplace(kept, *number);
  }
  return values;
}

}  // namespace muster::metrics
