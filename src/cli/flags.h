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

// What a shell offers after a flag or as a word of a verb.
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

// One row of a verb's table of flags. Help, parsing and completion all read the same rows.
struct Flag {
  const char* name;             // "nodes" for --nodes
  char letter = 0;              // 'N' for -N, 0: none
  const char* value = nullptr;  // "COUNT" in the help; null: a switch
  const char* help = "";
  bool repeated = false;  // may be given several times; otherwise the last one counts
  Completes completes = Completes::kNothing;
};

// The arguments of one verb after reading.
class Args {
 public:
  std::vector<std::string> words;  // what is neither a flag nor behind "--"
  std::vector<std::string> rest;   // what is behind "--"
  bool has_rest = false;           // there was a "--"

  bool Has(std::string_view flag) const;
  std::string Get(std::string_view flag, std::string_view fallback = {}) const;
  std::vector<std::string> All(std::string_view flag) const;
  // Everything given for two flags whose order among each other counts: name and value.
  std::vector<std::pair<std::string, std::string>> AllOf(std::string_view one,
                                                         std::string_view other) const;
  // The flag as a whole number in [low, high]; nothing when it was not given.
  Result<std::optional<int64_t>> Int(std::string_view flag, int64_t low, int64_t high) const;

  void Set(std::string_view flag, std::string_view value);

 private:
  std::vector<std::pair<std::string, std::string>> flags_;  // in the order given
};

// Reads --name value, --name=value, -N 2, -N2, -dq (switches together) and "--". Flags and words
// may be mixed. kInvalid names the argument and, where one is close, the flag that was meant.
Result<Args> ParseFlags(std::span<const Flag> table, std::span<const std::string> arguments);

}  // namespace muster::cli
