#include "model/sweep.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/document.h"
#include "model/scalar.h"
#include "model/value_types.h"

namespace muster {
namespace {

// The cost of a combination is about the size of the document; this is the limit for the whole
// sweep.
constexpr size_t kMaxSweepBytes = size_t{64} << 20;
constexpr size_t kMaxSweepNames = 20;

bool RefersTo(const json::value& value, std::string_view name) {
  if (const auto* text = value.if_string()) {
    const auto names = ReferencesIn(*text);
    return std::ranges::find(names, name) != names.end();
  }
  const auto refers = [name](const auto& member) {
    if constexpr (requires { member.value(); }) {
      return RefersTo(member.value(), name);
    } else {
      return RefersTo(member, name);
    }
  };
  if (const auto* list = value.if_array()) return std::ranges::any_of(*list, refers);
  if (const auto* map = value.if_object()) return std::ranges::any_of(*map, refers);
  return false;
}

size_t TextSize(const json::value& value) {
  size_t size = 16;
  if (const auto* text = value.if_string()) size += text->size();
  if (const auto* list = value.if_array())
    for (const json::value& item : *list) size += TextSize(item);
  if (const auto* map = value.if_object())
    for (const auto& member : *map) size += member.key().size() + TextSize(member.value());
  return size;
}

// The parameter of that name in the job and its roles.
std::vector<const json::value*> ParametersNamed(const json::object& document,
                                                std::string_view name) {
  std::vector<const json::value*> found;
  const auto look = [&](const json::object& holder) {
    const auto* parameters = GetObject(holder, "parameters");
    const auto* value = parameters == nullptr ? nullptr : parameters->if_contains(name);
    if (value != nullptr) found.push_back(value);
  };
  look(document);
  if (const auto* roles = GetObject(document, "roles")) {
    for (const auto& member : *roles)
      if (const auto* role = member.value().if_object()) look(*role);
  }
  return found;
}

}  // namespace

Sweep::Sweep(const Cursor& root) {
  const auto* sweep = root.value.get_object().if_contains("sweep");
  if (sweep != nullptr && !sweep->is_null()) Read(root.At(*sweep, "sweep"), root.value);
}

void Sweep::Read(const Cursor& at, const json::value& document) {
  const auto* axes = at.value.if_object();
  if (axes == nullptr) return at.Fault("a map of names and lists of values");
  if (axes->size() > kMaxSweepNames) {
    return at.reading.AddFault(at.path, fmt::format("{} names", axes->size()),
                               fmt::format("at most {} names", kMaxSweepNames));
  }
  for (const auto& member : *axes) {
    AddAxis(at.At(member.value(), member.key()), member.key(), document.get_object());
  }
  const auto* roles = GetObject(document.get_object(), "roles");
  const size_t copies = roles == nullptr ? 1 : roles->size() + 1;  // a role inherits from the job
  CheckSize(at, (TextSize(document) - TextSize(at.value)) * copies);
}

void Sweep::AddAxis(const Cursor& at, std::string_view name, const json::object& document) {
  const auto refuse = [&](std::string found, std::string expected, std::string hint = {}) {
    at.reading.AddFault(at.path, std::move(found), std::move(expected), std::move(hint));
  };
  const std::string shown = fmt::format("the name \"{}\"", ShortText(name));
  if (!kParameterRule.Fits(name)) return refuse(shown, std::string(kParameterRule.expected));
  if (std::ranges::find(kBuiltInNames, name) != kBuiltInNames.end()) {
    return refuse(shown, "a name that is not built in", std::string(kBuiltInNamesTaken));
  }
  if (at.reading.variables().Has(name)) {
    return refuse(shown, "a name that is not in variables as well");
  }
  const auto* list = at.value.if_array();
  if (list == nullptr) return at.Fault("a list of values", "one value is written [value]");
  if (list->empty()) return refuse("an empty list", "at least one value");
  Axis axis{.name = std::string(name), .values = {}};
  for (size_t i = 0; i < list->size(); ++i) {
    const json::value& value = (*list)[i];
    if (!IsScalar(value)) return at.Item(value, i).Fault("a text or a number");
    axis.values.push_back(ScalarText(value));
    if (axis.values.back().find("${") != std::string::npos) {
      return at.Item(value, i).Fault("a value without variables");
    }
  }
  const auto parameters = ParametersNamed(document, name);
  const auto refers = [&](const json::value* value) { return RefersTo(*value, name); };
  const auto elsewhere = [&](const auto& member) {
    return member.key() != "sweep" && RefersTo(member.value(), name);
  };
  axis.exists = !parameters.empty();
  axis.is_parameter = axis.exists ? std::ranges::none_of(parameters, refers)
                                  : std::ranges::none_of(document, elsewhere);
  at.reading.variables().Define(axis.name, axis.values.front());
  axes_.push_back(std::move(axis));
}

void Sweep::CheckSize(const Cursor& at, size_t bytes) {
  int64_t count = 1;
  for (const Axis& axis : axes_) {
    count *= int64_t(axis.values.size());
    if (count <= kMaxSweepJobs) continue;
    return at.reading.AddFault(at.path, fmt::format("more than {} combinations", kMaxSweepJobs),
                               fmt::format("at most {} jobs", kMaxSweepJobs));
  }
  if (bytes * size_t(count) > kMaxSweepBytes) {
    return at.reading.AddFault(at.path, fmt::format("{} jobs of about {} bytes", count, bytes),
                               "at most 64 MiB of jobs", "make the job file or the sweep smaller");
  }
  count_ = count;
}

Pairs Sweep::Combination(int64_t index) const {
  Pairs values;
  for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
    const auto size = int64_t(axis->values.size());
    values.emplace_back(axis->name, axis->values[size_t(index % size)]);
    index /= size;
  }
  std::ranges::reverse(values);
  return values;
}

void Sweep::SetParameters(const Pairs& values, std::vector<Role>& roles) const {
  for (size_t i = 0; i < axes_.size(); ++i) {
    if (!axes_[i].is_parameter) continue;
    for (Role& role : roles) {
      const auto same = [&](const auto& pair) { return pair.first == axes_[i].name; };
      const auto found = std::ranges::find_if(role.parameters, same);
      if (found != role.parameters.end()) {
        found->second = values[i].second;
      } else if (!axes_[i].exists) {
        role.parameters.push_back(values[i]);
      }
    }
  }
}

}  // namespace muster
