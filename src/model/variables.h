#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// ${name} in the values of a job file.

inline constexpr std::array<std::string_view, 5> kBuiltInNames = {"nodes", "devices", "ranks",
                                                                  "name", "job_id"};
inline constexpr std::string_view kBuiltInNamesTaken =
    "nodes, devices, ranks, name and job_id are taken";
// ${job_id} in the place of an output or of logs stays until the job has its number.
inline constexpr std::string_view kJobIdVariable = "${job_id}";
inline constexpr size_t kMaxExpandedBytes = size_t{1} << 20;

// The values of built-in names, as far as they are known.
struct BuiltIns {
  std::optional<int64_t> nodes;
  std::optional<int64_t> devices;
  std::optional<int64_t> ranks;
  std::optional<std::string> name;
  std::optional<std::string> job_id;

  std::optional<std::string> Find(std::string_view wanted) const;
};

// How an unknown ${name} is handled: as a fault, or as text for the shell that runs it.
enum class UnknownName { kFault, kKeep };

struct VariableProblem {
  // kBroken: a variable in the chain has a problem, which is reported there.
  enum class Kind { kUnknown, kMalformed, kTooLarge, kBroken } kind;
  std::string name;  // between the braces
};

// The variables of a job. Values may refer to each other and to built-ins; call BreakLoops before
// the first Expand.
class Variables {
 public:
  void Define(std::string name, std::string text) { texts_[std::move(name)] = std::move(text); }
  bool Has(std::string_view name) const { return texts_.contains(name); }
  std::vector<std::string_view> Names() const;  // including built-in ones

  // Returns every cycle of variables, such as {a, b, a}, and every chain longer than 64. Their
  // variables are empty afterwards, and using them yields kBroken.
  std::vector<std::vector<std::string>> BreakLoops();

  // Replaces every ${name}; `$${` yields `${`. Reports at most ten problems of the text, whose
  // parts stay unchanged; problems inside a variable are kBroken. The total work of this object is
  // bounded, so that variables that double each other end as kTooLarge instead of filling the
  // memory.
  std::string Expand(std::string_view text, const BuiltIns& built_ins, UnknownName unknown,
                     std::vector<VariableProblem>& problems);

 private:
  struct Expansion;
  void Append(std::string_view text, Expansion& expansion);
  void AppendName(std::string_view piece, std::string_view name, Expansion& expansion);

  std::map<std::string, std::string, std::less<>> texts_;
  std::set<std::string, std::less<>> broken_;
  size_t spent_ = 0;
};

// The well-formed names in the text.
std::vector<std::string_view> ReferencesIn(std::string_view text);

// The inverse of Expand for text without references: `${` becomes `$${`.
std::string EscapeVariables(std::string_view text);

bool IsVariableName(std::string_view name);

}  // namespace muster
