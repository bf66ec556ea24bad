#include <algorithm>
#include <ctime>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/command.h"
#include "dialect/plan.h"
#include "dialect/staging.h"
#include "lifecycle/conductor_impl.h"
#include "lifecycle/last_words.h"
#include "lifecycle/own_module.h"
#include "model/source.h"
#include "verdict/blame.h"
#include "verdict/missing_module.h"
#include "verdict/verdict.h"

namespace muster::lifecycle {
namespace {

std::string ClockText(int64_t wall_ms) {
  const std::time_t seconds = wall_ms / 1000;
  std::tm local{};
  ::localtime_r(&seconds, &local);
  return fmt::format("{:02}:{:02}", local.tm_hour, local.tm_min);
}

std::string MachineOf(const NodeInfo& node) {
  return node.machine.empty() ? node.name : node.machine;
}

// A module of the job's own code needs no installation.
void AdviseOnModule(const JobSpec& spec, const os::Path& code, verdict::Verdict& verdict) {
  const std::string name = verdict::MissingModule(verdict.evidence);
  if (name.empty()) return;
  verdict::ModuleSearch search;
  search.module = name.substr(0, name.find('.'));
  search.has_code = !spec.code.empty() || !spec.code_hash.empty();
  if (!spec.code_hash.empty()) search.found = FindModule(code, search.module);
  verdict.advice = verdict::ModuleAdvice(search, spec.python);
}

// On these nodes as if they were free; a job that does not fit there is planned on made-up nodes.
Allocation AllocationOf(const JobSpec& spec, const std::vector<NodeInfo>& nodes, int64_t now) {
  const std::vector<scheduler::Waiting> alone{{0, 0, scheduler::DemandOf(spec), {}}};
  const auto decision = scheduler::Decide({nodes, {}}, alone, now);
  Allocation sketch = dialect::SketchAllocation(spec);
  if (decision.start.empty()) return sketch;
  Allocation allocation = decision.start.front().allocation;
  for (size_t i = 0; i < allocation.nodes.size() && i < sketch.nodes.size(); ++i)
    allocation.nodes[i].ports = sketch.nodes[i].ports;
  allocation.common_ports = sketch.common_ports;
  return allocation;
}

std::expected<std::vector<NodeOrder>, Refusal> PlanOn(const std::vector<NodeInfo>& nodes,
                                                      const json::value& document,
                                                      dialect::Places places, int64_t now) {
  auto specs = ReadSpecs(document, Marks{});
  if (!specs) {
    return std::unexpected(Refusal{
        {Code::kInvalid, "the job file has faults", "correct what is listed"}, specs.error()});
  }
  const JobSpec& spec = specs->front();
  if (const Status size = dialect::CheckPlanSize(spec); !size)
    return std::unexpected(Refusal{size.error(), {}});
  if (IsFar(spec.code)) {
    places.code_dir = dialect::FetchedCode(places);
  } else if (!spec.code.empty()) {
    places.code_dir = places.data_dir + "/code/snapshot";  // a plan uploads no code
  }
  auto orders = dialect::Plan(spec, AllocationOf(spec, nodes, now), places);
  if (!orders) return std::unexpected(Refusal{orders.error(), {}});
  if (const auto never = scheduler::NeverFits(nodes, scheduler::DemandOf(spec));
      never && !orders->empty())
    orders->front().notes.push_back("can never start on this server: " + NeverText(*never));
  return std::move(*orders);
}

}  // namespace

Result<Job> Conductor::Impl::Find(JobId id) const {
  if (const auto found = jobs.find(id); found != jobs.end()) return found->second.job;
  MUSTER_ASSIGN(auto job, parts.journal.FindJob(id));
  if (!job)
    return Fail(Code::kNotFound, fmt::format("no job {}", id), "'muster ps -a' lists all jobs");
  return std::move(*job);
}

Result<scheduler::Why> Conductor::Impl::Why(JobId id) const {
  const auto found = jobs.find(id);
  if (found != jobs.end() && found->second.queued)
    return scheduler::Explain(ClusterNow(), queue, id, Now(), ClockText);
  MUSTER_ASSIGN(const Job job, Find(id));
  scheduler::Why why;
  if (found != jobs.end() && !found->second.waits_for.empty()) {
    why.text = WaitReason(id);
    why.way_out = "submit it without --after to start it now";
    return why;
  }
  if (job.state == State::kQueued) {
    why.text = job.reason.empty() ? "is about to be placed" : job.reason;
  } else {
    why.text = fmt::format("does not wait: it is {}{}", Name(job.state),
                           job.reason.empty() ? "" : " (" + job.reason + ")");
  }
  return why;
}

std::string Conductor::Impl::WaitReason(JobId id) const {
  constexpr int64_t kFreshMs = 1000;
  const auto found = jobs.find(id);
  if (found == jobs.end()) return {};
  if (!found->second.waits_for.empty()) {
    std::vector<std::string> names;
    for (JobId upstream : found->second.waits_for) {
      const auto state = jobs.contains(upstream) ? Name(jobs.at(upstream).job.state) : "ended";
      names.push_back(fmt::format("job {} ({})", upstream, state));
    }
    return fmt::format("waits for {} to end", Join(names, ", "));
  }
  if (!found->second.queued) return {};
  const int64_t now = parts.loop.clock().SteadyMs();
  if (!wait_reasons || now - wait_reasons_ms > kFreshMs) {
    wait_reasons.emplace(ClusterNow(), queue, Now());
    wait_reasons_ms = now;
  }
  return wait_reasons->Of(id);
}

std::vector<NodeUse> Conductor::Impl::Nodes() const {
  std::vector<NodeUse> uses;
  std::map<std::string, size_t> index;
  for (NodeInfo& info : parts.engine.Nodes()) {
    index[info.name] = uses.size();
    uses.push_back({std::move(info), {}, {}});
  }
  std::map<std::string, int64_t> used_memory;  // machine -> bytes
  for (const auto& holding : ClusterNow().running) {
    for (const NodeShare& share : holding.allocation.nodes) {
      const auto at = index.find(share.node);
      if (at == index.end()) continue;
      NodeUse& use = uses[at->second];
      used_memory[MachineOf(use.info)] += holding.memory;
      use.used[share.kind] += int(share.devices.size());
      if (use.jobs.empty() || use.jobs.back() != holding.id) use.jobs.push_back(holding.id);
    }
    for (const NodeStatus& node : jobs.at(holding.id).job.current()->nodes)
      if (!node.unproven.empty() && !node.ended && index.contains(node.name))
        uses[index.at(node.name)].unproven.push_back(holding.id);
  }
  for (NodeUse& use : uses) use.used_memory = used_memory[MachineOf(use.info)];
  return uses;
}

Conductor::PlanWork Conductor::Impl::PlanOf(json::value document) const {
  Attempt attempt;
  attempt.token = "0000";
  return [document = std::move(document), nodes = parts.engine.Nodes(),
          places = PlacesOf(Job{}, attempt),
          now = Now()] { return PlanOn(nodes, document, places, now); };
}

Pairs Conductor::Impl::OutputFolders(const Job& job) const {
  dialect::Places places;
  places.job = job.id;
  places.job_dir = JobDir(job.id);
  Pairs folders;
  for (const auto& output : job.spec.outputs)
    folders.emplace_back(output.first, dialect::OutputFolder(output, places));
  return folders;
}

json::object Conductor::Impl::VerdictOf(const Job& job) const {
  const Attempt* attempt = job.current();
  if (attempt == nullptr || !attempt->exit) return {};
  const bool succeeded = attempt->exit->how == ExitClass::kSucceeded;
  if (succeeded && verdict::WhyApart(*attempt).empty()) return {};
  std::vector<std::string> lines;
  std::vector<verdict::RankLines> others;
  if (attempt->cause && attempt->cause->exit.how != ExitClass::kNotPublished) {
    const os::Path dir = RefOf(job, *attempt).dir;
    lines = attempt->cause->rank >= 0
                ? LastLinesOf(dir, attempt->cause->node, attempt->cause->rank)
                : LastLines(dir / fmt::format("node{}", attempt->cause->node) / "hooks.log");
    if (attempt->cause->rank >= 0 && verdict::NeedsOtherLogs(attempt->cause->exit, lines))
      others = LinesOfOthers(dir, *attempt);
  }
  verdict::Verdict verdict = verdict::Judge(job, *attempt, lines, others);
  if (verdict.cause == verdict::CauseClass::kMissingModule)
    AdviseOnModule(job.spec, parts.code.TreeDir(job.spec.code_hash), verdict);
  if (attempt->cause && attempt->cause->exit.detail.contains("muster logs --hooks"))
    verdict.advice = fmt::format(
        "Correct what the output of the hook says; all of it: muster logs --hooks {}", job.id);
  return verdict::ToJsonObject(verdict);
}

}  // namespace muster::lifecycle
