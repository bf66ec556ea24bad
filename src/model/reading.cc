#include "model/reading.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "model/document.h"
#include "model/scalar.h"

namespace muster {
namespace {

constexpr size_t kMaxFaults = 1000;
constexpr int kMaxSuggestions = 25;

}  // namespace

Reading::Reading(const Marks& marks) {
  for (const auto& [path, at] : marks.at) marks_.try_emplace(path, at);
}

std::pair<int, int> Reading::Find(std::string_view path) const {
  for (;;) {
    if (const auto found = marks_.find(path); found != marks_.end()) return found->second;
    const size_t cut = path.find_last_of(".[");
    if (cut == std::string_view::npos) break;
    path = path.substr(0, cut);
  }
  const auto root = marks_.find("");
  return root == marks_.end() ? std::pair(0, 0) : root->second;
}

void Reading::AddFault(std::string_view path, std::string found, std::string expected,
                       std::string hint) {
  if (faults_.size() >= kMaxFaults) return;
  if (!said_.insert(fmt::format("{}\n{}\n{}", path, found, expected)).second) return;
  const auto [line, column] = Find(path);
  faults_.push_back({.path = std::string(path),
                     .line = line,
                     .column = column,
                     .found = std::move(found),
                     .expected = std::move(expected),
                     .hint = std::move(hint)});
}

std::vector<Fault> Reading::TakeFaults() {
  std::ranges::sort(faults_, {}, [](const Fault& fault) {
    return std::tuple(fault.line, fault.column, std::string_view(fault.path));
  });
  return std::move(faults_);
}

std::string Reading::Suggest(std::string_view word, std::span<const std::string_view> candidates) {
  if (++suggestions_ > kMaxSuggestions) return {};
  const std::string_view close = DidYouMean(word, candidates);
  return close.empty() ? std::string() : fmt::format("did you mean \"{}\"?", close);
}

Cursor Cursor::At(const json::value& member, std::string_view key) const {
  return {reading, member, MemberPath(path, key), built_ins};
}

Cursor Cursor::Item(const json::value& item, size_t index) const {
  return {reading, item, ItemPath(path, index), built_ins};
}

void Cursor::Fault(std::string expected, std::string hint) const {
  reading.AddFault(path, DescribeValue(value), std::move(expected), std::move(hint));
}

std::optional<std::string> Cursor::Text(std::string_view expected, UnknownName unknown) const {
  if (!IsScalar(value)) {
    Fault(std::string(expected));
    return std::nullopt;
  }
  std::vector<VariableProblem> problems;
  std::string text = reading.variables().Expand(ScalarText(value), built_ins, unknown, problems);
  for (const auto& [kind, name] : problems) {
    const std::string shown = ShortText(name);
    switch (kind) {
      case VariableProblem::Kind::kUnknown: {
        std::string hint = name == "job_id"
                               ? std::string(
                                     "only the places of `outputs` and `logs` know it; "
                                     "ranks have $MUSTER_JOB_ID")
                               : reading.Suggest(name, reading.variables().Names());
        if (hint.empty()) hint = fmt::format("write $${{{}}} to keep the text as it is", shown);
        reading.AddFault(path, fmt::format("the unknown variable ${{{}}}", shown),
                         "a name from variables or sweep, or nodes, devices, ranks, name", hint);
        break;
      }
      case VariableProblem::Kind::kMalformed:
        reading.AddFault(path, fmt::format("\"${{{}\"", shown), "a variable such as ${name}",
                         "write $${ to keep ${ as it is");
        break;
      case VariableProblem::Kind::kBroken:
        break;
      case VariableProblem::Kind::kTooLarge:
        reading.AddFault(path, "variables that grow too large",
                         "at most 1 MiB in a value and 16 MiB in all");
    }
  }
  if (text.find('\0') != std::string::npos) {
    reading.AddFault(path, "a NUL character in a text", "text without NUL characters");
    return std::nullopt;
  }
  if (!problems.empty()) return std::nullopt;
  return text;
}

}  // namespace muster
