#include "cli/job_page.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"
#include "cli/proof.h"
#include "cli/table.h"

namespace muster::cli {
namespace {

constexpr size_t kFoldAbove = 16;

std::string Title(const Screen& screen, std::string_view text) {
  return fmt::format("\n{}\n", screen.Painted(Paint::kBold, text));
}

std::string CommandText(const Command& command) {
  return Printable(command.words.empty() ? command.text : ShellJoin(command.words));
}

std::string RoleText(const Role& role) {
  return fmt::format("{} x {}:{}, {} a node: {}", Counted(role.nodes, "node"), role.devices.kind,
                     role.devices.count, Counted(role.ranks, "rank"), CommandText(role.run));
}

// Values of variables may be secrets, so only their names are shown.
std::string NamesOf(const Pairs& pairs) {
  std::vector<std::string> names;
  for (const auto& pair : pairs) names.push_back(Printable(pair.first));
  return Join(names, ", ");
}

std::string ValuesOf(const Pairs& pairs) {
  std::vector<std::string> values;
  for (const auto& [name, value] : pairs)
    values.push_back(Printable(fmt::format("{}={}", name, value)));
  return Join(values, ", ");
}

std::string SpecText(const Screen& screen, const JobSpec& spec) {
  std::vector<std::pair<std::string, std::string>> facts;
  for (const Role& role : spec.roles) facts.emplace_back(Printable(role.name), RoleText(role));
  if (!spec.roles.empty()) {
    facts.emplace_back("parameters", ValuesOf(spec.roles[0].parameters));
    facts.emplace_back("variables", NamesOf(spec.roles[0].env));
  }
  facts.emplace_back("of the shell", NamesOf(spec.shell_env));
  facts.emplace_back("platform", Printable(spec.platform));
  facts.emplace_back("inputs", ValuesOf(spec.inputs));
  facts.emplace_back("labels", ValuesOf(spec.labels));
  facts.emplace_back("code", spec.code.empty()
                                 ? ""
                                 : Printable(fmt::format("{} (snapshot {})", spec.code,
                                                         spec.code_hash.substr(0, 12))));
  facts.emplace_back("memory", spec.memory ? HumanSize(*spec.memory) + " a node" : "");
  facts.emplace_back("time limit", spec.time_limit_ms ? HumanDuration(*spec.time_limit_ms) : "");
  facts.emplace_back("priority", spec.priority ? std::to_string(spec.priority) : "");
  facts.emplace_back("preemptible", spec.preemptible ? "yes" : "");
  facts.emplace_back("retries", spec.retries ? std::to_string(spec.retries) : "");
  facts.emplace_back("sweep", ValuesOf(spec.sweep_values));
  return Facts(screen, facts, 2);
}

std::string Span(int64_t from_ms, int64_t to_ms, int64_t now_ms) {
  if (from_ms <= 0) return "-";
  return HumanDuration(std::max<int64_t>(0, (to_ms > 0 ? to_ms : now_ms) - from_ms));
}

std::string AttemptEnd(const Attempt& attempt) {
  if (attempt.cause) return attempt.cause->what;
  return attempt.exit ? Describe(*attempt.exit) : "under way";
}

std::string AttemptsText(const Screen& screen, const JobView& job, int64_t now_ms) {
  Table table({{"ATTEMPT", true}, {"BEGAN"}, {"RAN", true}, {"NODES"}, {"END"}});
  for (const Attempt& attempt : job.attempts) {
    std::vector<std::string> nodes;
    for (const NodeShare& share : attempt.allocation.nodes) nodes.push_back(share.node);
    table.Add({std::to_string(attempt.number), WallTime(attempt.created_ms),
               Span(attempt.started_ms, attempt.ended_ms, now_ms), Join(nodes, " "),
               AttemptEnd(attempt)});
  }
  return table.Render(screen, 2);
}

// The key by which equal ranks are merged in the table.
std::string RankKey(const RankInfo& rank) {
  return fmt::format("{}\n{}\n{}", rank.node, rank.role,
                     rank.exit             ? Describe(*rank.exit)
                     : rank.started_ms > 0 ? "running"
                                           : "waiting");
}

std::string NodeName(const Attempt& attempt, int node) {
  for (const NodeShare& share : attempt.allocation.nodes)
    if (share.index == node) return share.node;
  return std::to_string(node);
}

std::string RanksText(const Screen& screen, const Attempt& attempt, int64_t now_ms) {
  Table table({{"RANK"},
               {"NODE"},
               {"ROLE"},
               {"PID", true},
               {"RAN", true},
               {"CPU", true},
               {"PEAK MEMORY", true},
               {"HOW"}});
  const auto& ranks = attempt.ranks;
  const bool fold = ranks.size() > kFoldAbove;
  for (size_t i = 0; i < ranks.size();) {
    size_t end = i + 1;
    while (fold && end < ranks.size() && RankKey(ranks[end]) == RankKey(ranks[i])) ++end;
    const RankInfo& rank = ranks[i];
    const bool alone = end == i + 1;
    const bool measured = alone && rank.exit;
    table.Add(
        {alone ? std::to_string(rank.rank) : fmt::format("{}-{}", rank.rank, ranks[end - 1].rank),
         NodeName(attempt, rank.node), rank.role,
         alone && rank.pid > 0 ? std::to_string(rank.pid) : "",
         Span(rank.started_ms, rank.ended_ms, now_ms),
         measured ? HumanDuration(rank.exit->cpu_ms) : "",
         measured && rank.exit->peak_rss > 0 ? HumanSize(rank.exit->peak_rss) : "",
         Cell(rank.exit             ? Describe(*rank.exit)
              : rank.started_ms > 0 ? "running"
                                    : "waiting",
              rank.exit && rank.exit->how != ExitClass::kSucceeded ? Paint::kRed : Paint::kPlain)});
    i = end;
  }
  return table.Render(screen, 2);
}

std::string FailureText(const Screen& screen, const JobView& job,
                        const std::vector<std::string>& lines) {
  std::string text;
  if (!lines.empty()) {
    text += Title(screen, fmt::format("last lines of rank {}", job.FailingRank()));
    for (const std::string& line : lines)
      text += fmt::format("  {} {}\n", screen.Painted(Paint::kRed, "|"), line);
  }
  const std::vector<std::string> evidence = job.EvidenceBeside(lines);
  if (!evidence.empty()) {
    text += Title(screen, "evidence");
    for (const std::string& line : evidence) text += fmt::format("  {}\n", line);
  }
  if (job.verdict && !job.verdict->advice.empty()) {
    text += Title(screen, "what to do");
    text += fmt::format("  {}\n", job.verdict->advice);
  }
  return text;
}

std::string HeadText(const Screen& screen, const JobView& job, int64_t now_ms) {
  std::string text = screen.Painted(StatePaint(job.state), Headline(job)) + "\n";
  return text + Facts(screen,
                      {{"name", job.name},
                       {"framework", job.framework},
                       {"group", job.group},
                       {"repeats", job.origin},
                       {"user", job.user},
                       {"submitted", fmt::format("{} ({} ago)", WallTime(job.created_ms),
                                                 Span(job.created_ms, 0, now_ms))},
                       {"ended", job.ended_ms > 0 ? WallTime(job.ended_ms) : ""},
                       {"progress", job.progress}},
                      2);
}

}  // namespace

std::string JobPage(const Screen& screen, const JobView& job,
                    const std::vector<std::string>& failing_lines, int64_t now_ms) {
  std::string text = HeadText(screen, job, now_ms) + FailureText(screen, job, failing_lines);
  if (job.spec) text += Title(screen, "asked for") + SpecText(screen, *job.spec);
  if (!job.attempts.empty()) {
    text += Title(screen, "attempts") + AttemptsText(screen, job, now_ms);
    if (!job.last()->ranks.empty())
      text += Title(screen, "ranks") + RanksText(screen, *job.last(), now_ms);
    if (job.IsOver() || job.IsUnproven())
      text += Title(screen, "proof of cleanness") + ProofText(job, 2);
    for (const NodeStatus& node : job.last()->nodes)
      for (const std::string& note : node.notes)
        text += fmt::format("  note from {}: {}\n", Printable(node.name), Printable(note));
    for (const std::string& note : job.PublishNotes()) text += fmt::format("  note: {}\n", note);
  }
  std::vector<std::pair<std::string, std::string>> folders{{"job", job.folder}, {"logs", job.logs}};
  for (const auto& [name, folder] : job.outputs)
    folders.emplace_back("output " + Printable(name), Printable(folder));
  return text + Title(screen, "folders") + Facts(screen, folders, 2);
}

}  // namespace muster::cli
