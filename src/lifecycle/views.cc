#include <algorithm>
#include <ctime>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/command.h"
#include "dialect/plan.h"
#include "lifecycle/conductor_impl.h"
#include "lifecycle/last_words.h"
#include "lifecycle/own_module.h"
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
    std::vector<std::string> names;
    for (JobId upstream : found->second.waits_for) {
      const auto state = jobs.contains(upstream) ? Name(jobs.at(upstream).job.state) : "ended";
      names.push_back(fmt::format("job {} ({})", upstream, state));
    }
    why.text = fmt::format("waits for {} to end", Join(names, ", "));
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

std::vector<NodeUse> Conductor::Impl::Nodes() const {
  std::vector<NodeUse> uses;
  std::map<std::string, size_t> index;
  for (NodeInfo& info : parts.engine.Nodes()) {
    index[info.name] = uses.size();
    uses.push_back({std::move(info), {}, {}});
  }
  for (const auto& holding : ClusterNow().running) {
    for (const NodeShare& share : holding.allocation.nodes) {
      const auto at = index.find(share.node);
      if (at == index.end()) continue;
      NodeUse& use = uses[at->second];
      use.used[share.kind] += int(share.devices.size());
      if (use.jobs.empty() || use.jobs.back() != holding.id) use.jobs.push_back(holding.id);
    }
  }
  return uses;
}

std::expected<std::vector<NodeOrder>, Refusal> Conductor::Impl::Plan(
    const json::value& document) const {
  auto specs = ReadSpecs(document, Marks{});
  if (!specs) {
    return std::unexpected(Refusal{
        {Code::kInvalid, "the job file has faults", "correct what is listed"}, specs.error()});
  }
  const JobSpec& spec = specs->front();
  // On our nodes as if they were free; where it can never fit, on nodes made up for it.
  const std::vector<scheduler::Waiting> alone{{0, 0, scheduler::DemandOf(spec), {}}};
  const auto decision = scheduler::Decide({parts.engine.Nodes(), {}}, alone, Now());
  const Allocation sketch = dialect::SketchAllocation(spec);
  Job job;
  job.spec = spec;
  Attempt attempt;
  attempt.token = "0000";
  attempt.allocation = decision.start.empty() ? sketch : decision.start.front().allocation;
  for (size_t i = 0; i < attempt.allocation.nodes.size() && i < sketch.nodes.size(); ++i)
    attempt.allocation.nodes[i].ports = sketch.nodes[i].ports;
  attempt.allocation.common_ports = sketch.common_ports;
  auto orders = Orders(job, attempt);
  if (!orders) return std::unexpected(Refusal{orders.error(), {}});
  return std::move(*orders);
}

Pairs Conductor::Impl::OutputFolders(const Job& job) const {
  dialect::Places places;
  places.job_dir = JobDir(job.id);
  Pairs folders;
  for (const auto& output : job.spec.outputs)
    folders.emplace_back(output.first, dialect::OutputFolder(output, places));
  return folders;
}

json::object Conductor::Impl::VerdictOf(const Job& job) const {
  const Attempt* attempt = job.current();
  if (attempt == nullptr || !attempt->exit || attempt->exit->how == ExitClass::kSucceeded)
    return {};
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
  return verdict::ToJsonObject(verdict);
}

}  // namespace muster::lifecycle
