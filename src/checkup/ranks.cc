// Who is who: ranks and shards that two nodes would both claim.
#include <array>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "checkup/rules.h"

namespace muster::checkup {
namespace {

constexpr std::array<std::string_view, 7> kRankNames{
    "rank",         "rank_id",  "paddle_trainer_id",   "ms_node_id",
    "horovod_rank", "pmi_rank", "ompi_comm_world_rank"};
constexpr std::array<std::string_view, 5> kLocalWords{"local_rank", "LOCAL_RANK", "device_id",
                                                      "DEVICE_ID", "ASCEND_DEVICE_ID"};
constexpr std::array<std::string_view, 3> kWorldWords{"RANK_SIZE", "WORLD_SIZE",
                                                      "PADDLE_TRAINERS_NUM"};

// The variable of a loop that counts from 0: for i in $(seq 0 7), {0..7} or 0 1 2, for ((i=0; …)).
std::optional<std::string> CountingVariable(const ShellCommand& command) {
  const auto& words = command.words;
  if (words.size() < 2 || words[0] != "for") return std::nullopt;
  if (words[1].starts_with("((")) {
    const std::string_view inside = std::string_view(words[1]).substr(2);
    const size_t equals = inside.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view start = Trim(inside.substr(equals + 1, inside.find(';') - equals - 1));
    if (start != "0") return std::nullopt;
    return std::string(Trim(inside.substr(0, equals)));
  }
  if (words.size() < 4 || words[2] != "in") return std::nullopt;
  const std::string_view list = words[3];
  const bool from_zero = list.starts_with("$(seq 0 ") || list.starts_with("`seq 0 ") ||
                         list.starts_with("{0..") || list == "0";
  return from_zero ? std::optional(words[1]) : std::nullopt;
}

std::optional<int64_t> NumberOf(const Reading& reading, std::string_view name) {
  for (const Setting& setting : reading.settings)
    if (setting.name == name)
      if (const auto number = setting.Number()) return number;
  return std::nullopt;
}

// "i" for $i and ${i}; empty for anything else.
std::string_view VariableIn(std::string_view value) {
  if (!value.starts_with("$")) return {};
  value.remove_prefix(1);
  if (value.starts_with("{") && value.ends_with("}")) value = value.substr(1, value.size() - 2);
  return value;
}

void CheckShellRanks(const Reading& reading, Findings& findings) {
  std::set<std::string, std::less<>> counting;
  for (const ShellCommand& command : reading.commands)
    if (auto variable = CountingVariable(command)) counting.insert(std::move(*variable));
  auto world = NumberOf(reading, "rank_size");
  if (!world) world = NumberOf(reading, "world_size");
  const auto local = NumberOf(reading, "device_num");
  for (const Setting& setting : reading.settings) {
    if (!IsOneOf(setting.name, kRankNames) || !counting.contains(VariableIn(setting.value)))
      continue;
    Finding finding = Found(Fault::kDuplicateRanks, setting.line, setting.said);
    if (world && local && *world > *local && *local > 0) {
      finding.grade = Grade::kFail;
      finding.reason = fmt::format(
          "of {} ranks each node starts {} and numbers them from 0, so every node has the ranks 0 "
          "to {} and the rest never comes",
          *world, *local, *local - 1);
    }
    findings.push_back(std::move(finding));
  }
}

// What the variables of a script were made from: "device_id" -> int(os.getenv('DEVICE_ID')).
using Definitions = std::map<std::string, std::string, std::less<>>;

template <typename List>
bool Mentions(std::string_view value, const List& words) {
  for (const std::string_view word : words)
    if (FindName(value, word) != std::string_view::npos) return true;
  return false;
}

template <typename List>
bool ComesFrom(std::string_view value, const Definitions& definitions, const List& words) {
  if (value.contains('+') || value.contains('*')) return false;  // reckoned: the node is in it
  const auto found = definitions.find(Lower(Trim(value)));
  if (found != definitions.end()) {
    const std::string& made = found->second;
    return !made.contains('+') && !made.contains('*') && Mentions(made, words);
  }
  return Mentions(value, words);
}

void CheckPythonRanks(const Reading& reading, Findings& findings) {
  Definitions definitions;
  bool by_world = false;
  for (const Setting& setting : reading.settings)
    if (setting.kind == Setting::Kind::kVariable) definitions[setting.name] = setting.value;
  for (const Setting& setting : reading.settings)
    by_world |= setting.name == "num_shards" && ComesFrom(setting.value, definitions, kWorldWords);
  for (const Setting& setting : reading.settings) {
    if (IsOneOf(setting.name, kRankNames) && ComesFrom(setting.value, definitions, kLocalWords))
      findings.push_back(Found(Fault::kDuplicateRanks, setting.line, setting.said));
    if (setting.name == "shard_id" && by_world &&
        ComesFrom(setting.value, definitions, kLocalWords))
      findings.push_back(Found(Fault::kDuplicateShards, setting.line, setting.said));
  }
}

}  // namespace

void CheckRanks(const Reading& reading, Findings& findings) {
  if (reading.script.language == Language::kShell) {
    CheckShellRanks(reading, findings);
  } else {
    CheckPythonRanks(reading, findings);
  }
}

}  // namespace muster::checkup
