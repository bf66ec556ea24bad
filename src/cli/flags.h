#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace muster::cli {

// What a shell completes after a flag or as a word of a verb.
enum class Completes {
  kNothing,
  kFile,
  kFolder,
  kJob,            // ids of jobs …
  kQueuedJob,      // … that wait
  kUnfinishedJob,  // … that are not over
  kEndedJob,       // … that are over
  kGroup,          // names of sweeps
  kFramework,
  kPlatform,
  kWorkdir,
  kState,
  kShell,
  kVerb,
  kObjectVerb,  // words behind `muster objects`
  kSchema,
};

// A row of a verb's flag table. Help, parsing and completion use the same rows.
struct Flag {
  const char* name;             // "nodes" for --nodes
  char letter = 0;              // 'N' for -N; 0 for none
  const char* value = nullptr;  // "COUNT" in the help; null for a switch
  const char* help = "";
  bool repeated = false;  // may be repeated; otherwise the last value counts
  Completes completes = Completes::kNothing;
};

// The parsed arguments of a verb.
class Args {
 public:
  std::vector<std::string> words;  // arguments that are neither flags nor after "--"
  std::vector<std::string> rest;   // arguments after "--"
  bool has_rest = false;           // "--" was given

  bool Has(std::string_view flag) const;
  std::string Get(std::string_view flag, std::string_view fallback = {}) const;
  std::vector<std::string> All(std::string_view flag) const;
  // The values of two flags in their common order: name and value.
  std::vector<std::pair<std::string, std::string>> AllOf(std::string_view one,
                                                         std::string_view other) const;
  // The flag as an integer in [low, high]; nothing if absent.
  Result<std::optional<int64_t>> Int(std::string_view flag, int64_t low, int64_t high) const;

  void Set(std::string_view flag, std::string_view value);

 private:
  std::vector<std::pair<std::string, std::string>> flags_;  // in the given order
};

// Parses --name value, --name=value, -N 2, -N2, -dq (combined switches) and "--". Flags and words
// may be mixed. kInvalid names the argument and a similar flag if there is one.
Result<Args> ParseFlags(std::span<const Flag> table, std::span<const std::string> arguments);

}  // namespace muster::cli
