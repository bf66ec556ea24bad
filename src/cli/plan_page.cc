#include "cli/plan_page.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"
#include "cli/table.h"
#include "model/shell_env.h"

namespace muster::cli {
namespace {

constexpr std::string_view kHidden = "(hidden)";

void Hide(Pairs& env, const std::string& token) {
  for (auto& [name, value] : env)
    if (IsSecretName(name) || (!token.empty() && value == token)) value = kHidden;
}

// References into the orders: the variables of a node are long if there are many nodes.
using Variables = std::map<std::string_view, std::string_view>;

struct RankLine {
  const NodeOrder* node;
  const RankOrder* rank;
  Variables env;  // those of the node, overridden by those of the rank
};

std::vector<RankLine> AllRanks(const std::vector<NodeOrder>& orders) {
  std::vector<RankLine> lines;
  for (const NodeOrder& order : orders)
    for (const RankOrder& rank : order.ranks) {
      lines.push_back({&order, &rank, {rank.env.begin(), rank.env.end()}});
      lines.back().env.insert(order.env.begin(), order.env.end());
    }
  std::ranges::sort(lines, {}, [](const RankLine& line) { return line.rank->rank; });
  return lines;
}

// The variables with the same value in all ranks.
Variables Shared(const std::vector<RankLine>& lines) {
  if (lines.empty()) return {};
  Variables shared = lines.front().env;
  for (const RankLine& line : lines) {
    std::erase_if(shared, [&](const auto& entry) {
      const auto found = line.env.find(entry.first);
      return found == line.env.end() || found->second != entry.second;
    });
  }
  return shared;
}

std::string Assignment(std::string_view name, std::string_view value) {
  return fmt::format("{}={}", Printable(name), ShellQuote(Printable(value)));
}

std::string RankTable(const Screen& screen, const std::vector<RankLine>& lines) {
  Table table(
      {{"RANK", true}, {"NODE"}, {"ADDRESS"}, {"LOCAL", true}, {"ROLE"}, {"FOLDER"}, {"COMMAND"}});
  for (const RankLine& line : lines)
    table.Add({std::to_string(line.rank->rank), line.node->node_name, line.node->address,
               std::to_string(line.rank->local_rank), line.rank->role, line.rank->cwd,
               ShellJoin(line.rank->argv)});
  return table.Render(screen);
}

// Of `variables`, those that come from one source, under a heading; nothing where there are none.
std::string FromSource(const Screen& screen, const Variables& variables, const EnvSources& sources,
                       std::optional<EnvSource> source, std::string_view heading) {
  std::string text;
  for (const auto& [name, value] : variables) {
    const auto found = sources.find(name);
    const auto from = found == sources.end() ? std::nullopt : std::optional(found->second);
    if (from == source) text += fmt::format("  {}\n", Assignment(name, value));
  }
  return text.empty() ? text : fmt::format("\n{}\n{}", screen.Painted(Paint::kBold, heading), text);
}

// Values of the server's environment are known where the job starts, and not in a plan.
std::string InheritedText(const Screen& screen, const std::vector<NodeOrder>& orders) {
  const bool from_shell = !orders.empty() && orders.front().has_shell_env;
  return fmt::format(
      "\n{}\n  {}\n", screen.Painted(Paint::kBold, "every rank, from the server's environment"),
      from_shell ? "all other variables, without secrets; none of PATH, VIRTUAL_ENV, "
                   "CONDA_*, PYTHONPATH, LD_LIBRARY_PATH, LANG, LC_*"
                 : "all other variables, without secrets");
}

std::string Environments(const Screen& screen, const std::vector<RankLine>& lines,
                         const EnvSources& sources) {
  const auto shared = Shared(lines);
  std::string text =
      FromSource(screen, shared, sources, EnvSource::kShell, "every rank, from this shell") +
      FromSource(screen, shared, sources, EnvSource::kJob, "every rank, from the job") +
      FromSource(screen, shared, sources, std::nullopt, "every rank, from Muster");
  for (const RankLine& line : lines) {
    std::string own;
    for (const auto& [name, value] : line.env)
      if (!shared.contains(name)) own += fmt::format("  {}\n", Assignment(name, value));
    if (!own.empty())
      text += fmt::format(
          "{}\n{}", screen.Painted(Paint::kBold, fmt::format("rank {}", line.rank->rank)), own);
  }
  return text;
}

// `seen` records where a text was shown; a rank table is equal on all nodes.
std::string FileTexts(const Screen& screen, const NodeOrder& order,
                      std::map<std::string_view, std::string>& seen) {
  std::string text;
  for (const OrderFile& file : order.files) {
    text += fmt::format(
        "\n{}\n", screen.Painted(Paint::kBold, fmt::format("file {} on {}", Printable(file.path),
                                                           order.node_name)));
    const auto [first, fresh] = seen.emplace(*file.content, order.node_name);
    if (!fresh) {
      text += fmt::format("  (the same as on {})\n", first->second);
      continue;
    }
    for (const std::string& line : Split(*file.content, '\n'))
      if (!line.empty()) text += fmt::format("  {}\n", Printable(line));
  }
  return text;
}

std::string HookTexts(const Screen& screen, const Hooks& hooks) {
  return Facts(screen, {{"hook setup", Printable(hooks.setup)},
                        {"hook on_stop", Printable(hooks.on_stop)},
                        {"hook on_failure", Printable(hooks.on_failure)}});
}

}  // namespace

void HideSecrets(std::vector<NodeOrder>& orders) {
  for (NodeOrder& order : orders) {
    const std::string token = order.token;
    order.token.clear();
    Hide(order.env, token);
    for (RankOrder& rank : order.ranks) Hide(rank.env, token);
  }
}

EnvSources SourcesOf(const JobSpec& spec) {
  EnvSources sources;
  for (const auto& [name, value] : spec.shell_env) sources[name] = EnvSource::kShell;
  for (const Role& role : spec.roles)
    for (const auto& [name, value] : role.env) sources[name] = EnvSource::kJob;
  return sources;
}

json::object ToJsonObject(const EnvSources& sources) {
  json::object object;
  for (const auto& [name, source] : sources)
    object[name] = source == EnvSource::kShell ? "shell" : "job";
  return object;
}

std::string PlanPage(const Screen& screen, const std::vector<NodeOrder>& orders,
                     const EnvSources& sources) {
  const std::vector<RankLine> lines = AllRanks(orders);
  std::string text = fmt::format("{}, {}\n", Counted(int64_t(orders.size()), "node"),
                                 Counted(int64_t(lines.size()), "rank"));
  for (const NodeOrder& order : orders)
    for (const std::string& note : order.notes) text += fmt::format("note: {}\n", Printable(note));
  text += RankTable(screen, lines) + Environments(screen, lines, sources) +
          InheritedText(screen, orders);
  std::map<std::string_view, std::string> seen;
  for (const NodeOrder& order : orders) text += FileTexts(screen, order, seen);
  if (!orders.empty()) text += HookTexts(screen, orders.front().hooks);
  return text;
}

}  // namespace muster::cli
