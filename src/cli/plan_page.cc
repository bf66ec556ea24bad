#include "cli/plan_page.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"
#include "cli/table.h"

namespace muster::cli {
namespace {

constexpr std::string_view kHidden = "(hidden)";

bool LooksSecret(std::string_view name) {
  const std::string lower = Lower(name);
  for (const std::string_view part : {"token", "secret", "password", "passwd", "credential",
                                      "apikey", "api_key", "access_key", "private_key"})
    if (lower.find(part) != std::string::npos) return true;
  return false;
}

void Hide(Pairs& env, const std::string& token) {
  for (auto& [name, value] : env)
    if (LooksSecret(name) || (!token.empty() && value == token)) value = kHidden;
}

// Of the orders, which hold the texts: those of a node are long where nodes are many.
using Variables = std::map<std::string_view, std::string_view>;

struct RankLine {
  const NodeOrder* node;
  const RankOrder* rank;
  Variables env;  // the node's with the rank's own on top
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

// Variables with one value in all ranks.
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

std::string Environments(const Screen& screen, const std::vector<RankLine>& lines) {
  const auto shared = Shared(lines);
  std::string text = fmt::format("\n{}\n", screen.Painted(Paint::kBold, "every rank"));
  for (const auto& [name, value] : shared) text += fmt::format("  {}\n", Assignment(name, value));
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

// `seen` remembers where a text was shown; a rank table is the same on every node.
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

std::string PlanPage(const Screen& screen, const std::vector<NodeOrder>& orders) {
  const std::vector<RankLine> lines = AllRanks(orders);
  std::string text = fmt::format("{}, {}\n", Counted(int64_t(orders.size()), "node"),
                                 Counted(int64_t(lines.size()), "rank"));
  for (const NodeOrder& order : orders)
    for (const std::string& note : order.notes) text += fmt::format("note: {}\n", Printable(note));
  text += RankTable(screen, lines) + Environments(screen, lines);
  std::map<std::string_view, std::string> seen;
  for (const NodeOrder& order : orders) text += FileTexts(screen, order, seen);
  if (!orders.empty()) text += HookTexts(screen, orders.front().hooks);
  return text;
}

}  // namespace muster::cli
