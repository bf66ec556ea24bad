#include "metrics/progress.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "metrics/log_line.h"
#include "metrics/names.h"
#include "metrics/text_line.h"

namespace muster::metrics {

namespace {

constexpr size_t kMaxNames = 64;  // a job that invents a name a line must not fill memory
constexpr size_t kMaxNameLength = 64;
constexpr size_t kMaxPrefix = 80;  // "[worker0]:", "[1,0]<stdout>:", a time stamp

std::optional<double> NumberOf(const json::value& value) {
  double number = 0;
  if (value.is_double())
    number = value.get_double();
  else if (value.is_int64())
    number = double(value.get_int64());
  else if (value.is_uint64())
    number = double(value.get_uint64());
  else
    return std::nullopt;
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

void PutJsonNumber(std::string_view key, double number, Values& values) {
  const std::string_view common = CommonName(key);
  const bool accuracy = common == "accuracy" || common == "val_accuracy";
  if (accuracy && number > 1) number /= 100;
  if (accuracy && (number < 0 || number > 1)) return;
  if (values.size() < kMaxNames && key.size() <= kMaxNameLength) {
    values.emplace(common.empty() ? CleanUtf8(key) : std::string(common), number);
  }
}

// One JSON object, perhaps behind what a launcher puts in front of every line.
std::optional<Values> ReadJson(std::string_view line) {
  const size_t open = line.substr(0, kMaxPrefix).find('{');
  if (open == std::string_view::npos || line.back() != '}') return std::nullopt;
  const auto parsed = ParseJson(line.substr(open));
  if (!parsed || !parsed->is_object()) return std::nullopt;
  Values values;
  for (const auto& member : parsed->get_object()) {
    if (const auto number = NumberOf(member.value())) PutJsonNumber(member.key(), *number, values);
  }
  return values;
}

std::string Plain(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                              : fmt::format("{:.4g}", value);
}

}  // namespace

Values ReadLine(std::string_view line) {
  const std::string_view readable = Readable(line);
  if (readable.empty()) return {};
  if (std::optional<Values> values = ReadJson(readable)) return std::move(*values);
  return ReadText(readable);
}

bool Progress::Take(std::string_view line) {
  bool changed = false;
  for (const auto& [name, value] : ReadLine(line)) {
    const auto found = values_.find(name);
    if (found == values_.end()) {
      if (values_.size() >= kMaxNames) continue;
      values_.emplace(name, value);
    } else if (found->second != value) {
      found->second = value;
    } else {
      continue;
    }
    changed = true;
  }
  return changed;
}

std::string ProgressText(const Values& values) {
  std::vector<std::string> parts;
  const auto get = [&values](const char* name) -> std::optional<double> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
  const auto count = [&](const char* name, const char* total_name) {
    const auto value = get(name), total = get(total_name);
    if (value)
      parts.push_back(
          fmt::format("{} {}{}", name, Plain(*value), total ? "/" + Plain(*total) : ""));
  };
  count("epoch", "epochs");
  count("step", "steps");
  if (const auto loss = get("loss")) parts.push_back(fmt::format("loss {:.4g}", *loss));
  if (const auto accuracy = get("accuracy")) {
    parts.push_back(fmt::format("accuracy {:.1f} %", *accuracy * 100));
  }
  if (const auto rate = get("throughput")) {
    parts.push_back(*rate >= 100 ? fmt::format("{:.0f} items/s", *rate)
                                 : fmt::format("{:.3g} items/s", *rate));
  }
  return Join(parts, " · ");
}

json::object ToJsonObject(const Values& values) {
  json::object object;
  for (const auto& [name, value] : values) object[name] = value;
  return object;
}

Values ValuesFromJson(const json::object& object) {
  Values values;
  for (const auto& member : object) {
    if (const auto number = NumberOf(member.value())) values.emplace(member.key(), *number);
  }
  return values;
}

}  // namespace muster::metrics
