// Flags and arguments between scripts and the launchers of other times.
#include <array>
#include <map>
#include <set>

#include "base/text.h"
#include "checkup/rules.h"

namespace muster::checkup {
namespace {

constexpr std::array<std::string_view, 2> kPaddleLaunchers{"paddle.distributed.launch",
                                                           "paddle.distributed.fleet.launch"};
constexpr std::array<std::string_view, 5> kDroppedFlags{
    "cluster_node_ips", "node_ip", "started_port", "selected_gpus", "use_paddlecloud"};

bool StartsPaddle(const Reading& reading) {
  for (const ShellCommand& command : reading.commands)
    for (const std::string& word : command.words)
      if (IsOneOf(word, kPaddleLaunchers)) return true;
  return false;
}

void CheckDroppedFlags(const Reading& reading, Findings& findings) {
  if (!StartsPaddle(reading)) return;
  struct Line {
    std::set<std::string> flags;
    std::string said;
  };
  std::map<int, Line> dropped;
  for (const Setting& setting : reading.settings) {
    if (setting.kind != Setting::Kind::kFlag || !IsOneOf(setting.name, kDroppedFlags)) continue;
    Line& line = dropped[setting.line];
    line.flags.insert("--" + setting.name);
    if (line.said.empty()) line.said = setting.said;
  }
  for (const auto& [number, line] : dropped) {
    const std::vector<std::string> flags(line.flags.begin(), line.flags.end());
    findings.push_back(Found(Fault::kDroppedFlags, number, line.said, Join(flags, " ")));
  }
}

bool ReadsLocalRank(const Reading& reading) {
  for (const Statement& statement : reading.statements)
    if (FindName(statement.text, "LOCAL_RANK") != std::string_view::npos) return true;
  return false;
}

void CheckLocalRank(const Reading& reading, Findings& findings) {
  for (const Statement& statement : reading.statements) {
    const std::string_view text = statement.text;
    const bool named = FindName(text, "--local_rank") != std::string_view::npos ||
                       FindName(text, "--local-rank") != std::string_view::npos;
    if (!named || !text.contains("add_argument")) continue;
    if (!ReadsLocalRank(reading))
      findings.push_back(Found(Fault::kLocalRankArgument, statement.line, text));
    return;
  }
}

}  // namespace

void CheckLaunchers(const Reading& reading, Findings& findings) {
  CheckDroppedFlags(reading, findings);
  CheckLocalRank(reading, findings);
}

}  // namespace muster::checkup
