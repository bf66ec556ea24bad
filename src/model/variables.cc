#include "model/variables.h"

#include <algorithm>
#include <set>

namespace muster {
namespace {

constexpr size_t kLongestChain = 64;
constexpr size_t kLongestReference = 200;  // including ${ and }
constexpr size_t kMaxProblems = 10;
// The limit for all texts together, over all jobs of a sweep; a name without a value costs one
// step.
constexpr size_t kBudget = 16 * kMaxExpandedBytes;
constexpr size_t kStep = 16;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsNameChar(char c) { return IsLetter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; }

struct Piece {
  enum class Kind { kText, kEscape, kName, kMalformed } kind = Kind::kText;
  std::string_view text;  // as written
  std::string_view name;  // between the braces
};

// Removes the next piece from the front. Precondition: the text is not empty.
Piece TakePiece(std::string_view& text) {
  const auto take = [&](Piece::Kind kind, size_t length, std::string_view name = {}) {
    const Piece piece{.kind = kind, .text = text.substr(0, length), .name = name};
    text.remove_prefix(length);
    return piece;
  };
  if (text.starts_with("$${")) return take(Piece::Kind::kEscape, 3);
  if (!text.starts_with("${")) {
    const size_t next = text.find('$', 1);
    return take(Piece::Kind::kText, std::min(next, text.size()));
  }
  const size_t end = text.substr(0, kLongestReference).find('}');
  if (end == std::string_view::npos) return take(Piece::Kind::kMalformed, 2, text.substr(2, 20));
  const std::string_view name = text.substr(2, end - 2);
  const auto kind = IsVariableName(name) ? Piece::Kind::kName : Piece::Kind::kMalformed;
  return take(kind, end + 1, name);
}

}  // namespace

struct Variables::Expansion {
  const BuiltIns& built_ins;
  UnknownName unknown;
  std::vector<VariableProblem>& problems;
  std::string out;
  size_t depth = 0;
  bool stopped = false;

  void Report(VariableProblem::Kind kind, std::string_view name) {
    if (depth > 0 && kind != VariableProblem::Kind::kTooLarge) {
      kind = VariableProblem::Kind::kBroken;
    }
    const auto same = [&](const VariableProblem& problem) {
      return problem.kind == kind && problem.name == name;
    };
    if (problems.size() < kMaxProblems && std::ranges::none_of(problems, same)) {
      problems.push_back({kind, std::string(name)});
    }
  }
};

std::optional<std::string> BuiltIns::Find(std::string_view wanted) const {
  const auto text = [](const std::optional<int64_t>& number) -> std::optional<std::string> {
    if (!number) return std::nullopt;
    return std::to_string(*number);
  };
  if (wanted == "nodes") return text(nodes);
  if (wanted == "devices") return text(devices);
  if (wanted == "ranks") return text(ranks);
  if (wanted == "name") return name;
  if (wanted == "job_id") return job_id;
  return std::nullopt;
}

std::vector<std::string_view> Variables::Names() const {
  std::vector<std::string_view> names(kBuiltInNames.begin(), kBuiltInNames.end());
  for (const auto& [name, text] : texts_) names.emplace_back(name);
  return names;
}

std::vector<std::vector<std::string>> Variables::BreakLoops() {
  std::vector<std::vector<std::string>> loops;
  std::vector<std::string> way;
  std::set<std::string_view> done;
  const auto visit = [&](const auto& self, const std::string& name) -> void {
    if (done.contains(name)) return;
    const auto first = std::ranges::find(way, name);
    const bool too_long = way.size() >= kLongestChain;
    if (first != way.end() || too_long) {
      loops.emplace_back(too_long ? way.begin() : first, way.end());
      loops.back().push_back(name);
      return;
    }
    way.push_back(name);
    const auto variable = texts_.find(name);
    for (std::string_view next : ReferencesIn(variable->second))
      if (texts_.contains(next)) self(self, std::string(next));
    way.pop_back();
    done.insert(variable->first);
  };
  for (const auto& [name, text] : texts_) visit(visit, name);
  for (const auto& loop : loops)
    for (const std::string& name : loop) {
      texts_[name].clear();
      broken_.insert(name);
    }
  return loops;
}

std::string Variables::Expand(std::string_view text, const BuiltIns& built_ins, UnknownName unknown,
                              std::vector<VariableProblem>& problems) {
  if (text.find("${") == std::string_view::npos) return std::string(text);
  Expansion expansion{.built_ins = built_ins, .unknown = unknown, .problems = problems, .out = {}};
  Append(text, expansion);
  return std::move(expansion.out);
}

void Variables::Append(std::string_view text, Expansion& expansion) {
  while (!text.empty() && !expansion.stopped) {
    const Piece piece = TakePiece(text);
    spent_ += kStep + piece.text.size();
    if (spent_ > kBudget || expansion.out.size() + piece.text.size() > kMaxExpandedBytes) {
      expansion.stopped = true;
      return expansion.Report(VariableProblem::Kind::kTooLarge, {});
    }
    switch (piece.kind) {
      case Piece::Kind::kText:
        expansion.out += piece.text;
        break;
      case Piece::Kind::kEscape:
        expansion.out += "${";
        break;
      case Piece::Kind::kName:
        AppendName(piece.text, piece.name, expansion);
        break;
      case Piece::Kind::kMalformed:
        expansion.out += piece.text;
        if (expansion.unknown == UnknownName::kKeep) break;
        expansion.Report(VariableProblem::Kind::kMalformed, piece.name);
    }
  }
}

void Variables::AppendName(std::string_view piece, std::string_view name, Expansion& expansion) {
  if (const auto value = expansion.built_ins.Find(name)) {
    expansion.out += *value;
    return;
  }
  const auto found = texts_.find(name);
  if (found == texts_.end()) {
    expansion.out += piece;
    if (expansion.unknown == UnknownName::kFault)
      expansion.Report(VariableProblem::Kind::kUnknown, name);
    return;
  }
  if (broken_.contains(name)) return expansion.Report(VariableProblem::Kind::kBroken, name);
  if (expansion.depth >= kLongestChain) return;  // BreakLoops removed all loops
  ++expansion.depth;
  Append(found->second, expansion);
  --expansion.depth;
}

std::vector<std::string_view> ReferencesIn(std::string_view text) {
  std::vector<std::string_view> names;
  while (!text.empty()) {
    const Piece piece = TakePiece(text);
    if (piece.kind == Piece::Kind::kName) names.push_back(piece.name);
  }
  return names;
}

std::string EscapeVariables(std::string_view text) {
  std::string escaped;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("${")) escaped += '$';
    escaped += text[i];
  }
  return escaped;
}

bool IsVariableName(std::string_view name) {
  return !name.empty() && IsLetter(name.front()) && std::ranges::all_of(name, IsNameChar);
}

}  // namespace muster
