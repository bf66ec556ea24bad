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

// What the built-in names stand for, as far as it is known yet.
struct BuiltIns {
  std::optional<int64_t> nodes;
  std::optional<int64_t> devices;
  std::optional<int64_t> ranks;
  std::optional<std::string> name;
  std::optional<std::string> job_id;

  std::optional<std::string> Find(std::string_view wanted) const;
};

// What an unknown ${name} is: a fault, or a word for the shell that runs the text later.
enum class UnknownName { kFault, kKeep };

struct VariableProblem {
  // kBroken: a variable on the way has a problem of its own, which is reported there.
  enum class Kind { kUnknown, kMalformed, kTooLarge, kBroken } kind;
  std::string name;  // between the braces
};

// The variables of one job. Values may refer to each other and to built-ins; BreakLoops comes
// before the first Expand.
class Variables {
 public:
  void Define(std::string name, std::string text) { texts_[std::move(name)] = std::move(text); }
  bool Has(std::string_view name) const { return texts_.contains(name); }
  std::vector<std::string_view> Names() const;  // with the built-in ones

  // Every way from a variable back to itself, such as {a, b, a}, and every chain of more than 64.
  // What stands on them is empty afterwards, and using it gives kBroken.
  std::vector<std::vector<std::string>> BreakLoops();

  // Replaces every ${name}; `$${` gives `${`. Problems of the text itself are reported, at most
  // ten, and leave their part as it was; those inside a variable are kBroken. The work over the
  // life of this object is bounded, so that variables which double each other end as kTooLarge
  // instead of filling the memory.
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

// The well-formed names that the text refers to.
std::vector<std::string_view> ReferencesIn(std::string_view text);

// The inverse of Expand for text that refers to nothing: `${` becomes `$${`.
std::string EscapeVariables(std::string_view text);

bool IsVariableName(std::string_view name);

}  // namespace muster
