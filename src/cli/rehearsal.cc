#include "cli/rehearsal.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"

namespace muster::cli {
namespace {

constexpr int64_t kSpareMs = 60'000;  // time for the job's own limit after the rehearsal's limit

bool HasEnv(const Pairs& env, std::string_view name) {
  return std::ranges::any_of(env, [name](const auto& pair) { return pair.first == name; });
}

// The size of the largest connected group of ranks.
int LargestGroup(const std::vector<std::pair<int, int>>& links) {
  std::map<int, int> parent;
  const auto root = [&parent](int rank) {
    parent.try_emplace(rank, rank);
    while (parent[rank] != rank) rank = parent[rank] = parent[parent[rank]];
    return rank;
  };
  for (const auto& [a, b] : links) parent[root(a)] = root(b);
  std::map<int, int> sizes;
  int largest = 1;
  std::vector<int> ranks;
  for (const auto& each : parent) ranks.push_back(each.first);
  for (const int rank : ranks) largest = std::max(largest, ++sizes[root(rank)]);
  return largest;
}

// Causes that concern only this machine say nothing about the cluster.
bool IsOfThisMachine(std::string_view cause) {
  constexpr std::array<std::string_view, 5> kLocal{"missing_module", "no_device", "device_memory",
                                                   "host_memory", "disk_full"};
  return std::ranges::find(kLocal, cause) != kLocal.end();
}

std::string Layout(const JobSpec& spec) {
  std::string text;
  for (const Role& role : spec.roles) {
    if (!text.empty()) text += " and ";
    text += fmt::format("{} with {} each", Counted(role.nodes, "node"),
                        Counted(role.devices.count, role.devices.kind));
    if (spec.roles.size() > 1) text += fmt::format(" ({})", role.name);
  }
  return text;
}

std::vector<std::string> SeenWords(const JobSpec& spec, const Rehearsal& rehearsal,
                                   const RehearsalEnd& end) {
  const int ranks = rehearsal.goal().ranks;
  std::vector<std::string> seen{
      fmt::format("layout: {}, as virtual nodes of this machine, one thread a rank", Layout(spec)),
      fmt::format("ranks: {} of {} started", rehearsal.started(), ranks)};
  if (ranks > 1)
    seen.push_back(rehearsal.AllMet()
                       ? fmt::format("meeting: all {} ranks joined by connections", ranks)
                       : fmt::format("meeting: {} of {} ranks joined by connections (ranks that "
                                     "talk through shared memory show none)",
                                     rehearsal.met() > 1 ? rehearsal.met() : 0, ranks));
  seen.push_back(fmt::format("steps: {} told in the log", rehearsal.steps()));
  if (end.succeeded) seen.emplace_back("end: the whole job ran to its end with code 0");
  return seen;
}

std::vector<std::string> UnknownWords(const JobSpec& spec) {
  std::vector<std::string> unknown;
  for (const Role& role : spec.roles)
    if (role.devices.kind != "cpu" && unknown.empty())
      unknown.push_back(fmt::format(
          "the {} devices: none was touched, so their drivers, memory and speed are not shown",
          role.devices.kind));
  if (spec.TotalNodes() > 1)
    unknown.emplace_back("the network between the nodes: here everything went over loopback");
  unknown.emplace_back("the cluster's own files: inputs, interpreter and packages on every node");
  return unknown;
}

}  // namespace

JobSpec RehearsalSpec(JobSpec spec, int64_t limit_ms) {
  for (Role& role : spec.roles)
    for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"})
      if (!HasEnv(role.env, name)) role.env.emplace_back(name, "1");
  for (auto& output : spec.outputs) output.second.clear();
  spec.published.clear();
  spec.logs.clear();
  spec.memory.reset();
  spec.after.clear();
  spec.retries = 0;
  spec.priority = 0;
  spec.preemptible = false;
  spec.sweep_group.clear();
  spec.sweep_values.clear();
  spec.time_limit_ms = limit_ms + kSpareMs;
  spec.warning_signal.clear();
  spec.warning_ms = kSpareMs / 2;
  return spec;
}

std::string RehearsalNodes(const JobSpec& spec) {
  std::string nodes;
  for (const Role& role : spec.roles)
    nodes += fmt::format("{}{}x{}{}", nodes.empty() ? "" : ",", role.nodes, role.devices.count,
                         role.devices.kind);
  return nodes;
}

void Rehearsal::RanksLinked(const std::vector<std::pair<int, int>>& links, int64_t now_ms) {
  met_ = std::max(met_, LargestGroup(links));
  if (AllMet() && !met_ms_) met_ms_ = now_ms;
}

void Rehearsal::RankTold(int rank, const json::object& values) {
  const bool trains =
      values.contains("step") || values.contains("loss") || values.contains("throughput");
  if (!trains) return;
  Told& told = told_[rank];
  ++told.events;
  if (!values.contains("step")) return;
  told.last_step = GetDouble(values, "step");
  if (!told.first_step) told.first_step = told.last_step;
}

int Rehearsal::steps() const {
  int most = 0;
  for (const auto& [rank, told] : told_) {
    most = std::max(most, told.events);
    // Steps between two looks are skipped; the step number counts them.
    if (told.first_step)
      most = std::max(most, int(std::clamp(*told.last_step - *told.first_step + 1, 0.0, 1e6)));
  }
  return most;
}

bool Rehearsal::Enough(int64_t now_ms) const {
  if (now_ms - began_ms_ >= goal_.limit_ms || EnoughSteps()) return true;
  return steps() == 0 && met_ms_ && goal_.ranks > 1 && now_ms - *met_ms_ >= goal_.settle_ms;
}

const char* Name(Answer answer) {
  switch (answer) {
    case Answer::kYes:
      return "yes";
    case Answer::kNo:
      return "no";
    case Answer::kNotKnown:
      return "not known";
  }
  return "not known";
}

int ExitCodeOf(Answer answer) { return answer == Answer::kYes ? 0 : answer == Answer::kNo ? 1 : 3; }

RehearsalReport JudgeRehearsal(const JobSpec& spec, const Rehearsal& rehearsal,
                               const RehearsalEnd& end) {
  RehearsalReport report;
  report.seen = SeenWords(spec, rehearsal, end);
  report.unknown = UnknownWords(spec);
  if (end.failed) {
    const bool local = IsOfThisMachine(end.cause);
    report.answer = local ? Answer::kNotKnown : Answer::kNo;
    report.headline =
        fmt::format("{}: {}", local ? "this machine cannot rehearse it" : "it fails at its start",
                    end.headline);
    if (!end.evidence.empty()) report.headline += fmt::format(" ({})", end.evidence);
    report.next = end.advice;
  } else if (end.succeeded || rehearsal.EnoughSteps()) {
    report.answer = Answer::kYes;
    report.headline =
        end.succeeded
            ? fmt::format("{} ran to the end", Counted(rehearsal.goal().ranks, "rank"))
            : fmt::format("{} started and trained {}", Counted(rehearsal.goal().ranks, "rank"),
                          Counted(rehearsal.steps(), "step"));
  } else if (rehearsal.AllMet() && rehearsal.goal().ranks > 1) {
    report.headline = fmt::format(
        "all {} ranks started and connected, but no training step was seen: they may wait for each "
        "other",
        rehearsal.goal().ranks);
    report.next =
        "let the job print a line such as \"step 1 loss 0.5\", or give it longer with "
        "--rehearse-time";
  } else {
    report.headline = fmt::format("{} of {} started, but neither a meeting nor {} seen in time",
                                  rehearsal.started(), Counted(rehearsal.goal().ranks, "rank"),
                                  rehearsal.goal().steps == 1 ? "a step was" : "enough steps were");
    report.next = "look into the logs, or give it longer with --rehearse-time";
  }
  return report;
}

std::string RehearsalText(const RehearsalReport& report) {
  std::string text = fmt::format("will it start on the cluster? {}: {}\n", Name(report.answer),
                                 Printable(report.headline));
  if (!report.next.empty()) text += fmt::format("  next: {}\n", Printable(report.next));
  text += "  seen here:\n";
  for (const std::string& line : report.seen) text += fmt::format("    {}\n", Printable(line));
  text += "  only the cluster can show:\n";
  for (const std::string& line : report.unknown) text += fmt::format("    {}\n", line);
  return text;
}

json::object ToJsonObject(const RehearsalReport& report) {
  return {{"answer", Name(report.answer)},
          {"headline", report.headline},
          {"next", report.next},
          {"seen", json::array(report.seen.begin(), report.seen.end())},
          {"unknown", json::array(report.unknown.begin(), report.unknown.end())}};
}

}  // namespace muster::cli
