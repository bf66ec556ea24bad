#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "lifecycle/conductor_impl.h"

namespace muster::lifecycle {
namespace {

// Names the nodes, the cause and the command that ends the wait.
std::string WaitText(const Job& job) {
  std::vector<std::string> names;
  for (const NodeStatus& node : job.current()->nodes)
    if (!node.unproven.empty() && !node.ended) names.push_back(node.name);
  return fmt::format(
      "processes of it may be left on {}, so its devices stay reserved: look there with 'ps', "
      "then run: muster stop {} --confirm-clean",
      Join(names, ", "), job.id);
}

}  // namespace

// The job stays in `stopping` and keeps its devices until the node is proven clean or a user
// confirms it.
void Conductor::Impl::TakeUnproven(Live& entry, int node, const std::string& why) {
  Attempt& attempt = *entry.job.current();
  if (node < 0 || node >= int(attempt.nodes.size())) return;
  NodeStatus& status = attempt.nodes[size_t(node)];
  status.unproven = why;
  if (!status.confirmed_by.empty())  // before a restart of the server
    return parts.engine.ConfirmClean(RefOf(entry.job, attempt));
  NoteLost(entry, node, {.how = ExitClass::kLost, .detail = why});
  entry.job.reason = WaitText(entry.job);
  entry.unsaid.push_back(EventOp(entry, "unproven", {{"node", node}, {"text", why}}));
  FlushSoon(entry);
}

void Conductor::Impl::ConfirmClean(JobId id, const std::string& who,
                                   std::function<void(Result<State>)> done) {
  const auto found = jobs.find(id);
  const bool live = found != jobs.end() && !found->second.finishing;
  if (const auto job = Find(id); !job) return done(std::unexpected(job.error()));
  Attempt* attempt = live ? found->second.job.current() : nullptr;
  bool any = false;
  for (size_t i = 0; attempt != nullptr && i < attempt->nodes.size(); ++i) {
    NodeStatus& node = attempt->nodes[i];
    if (node.unproven.empty() || node.ended) continue;
    node.confirmed_by = who.empty() ? "a user" : who;
    any = true;
  }
  if (!any)
    return done(Fail(Code::kConflict,
                     fmt::format("job {} needs no confirmation: none of its nodes is unproven", id),
                     fmt::format("see 'muster describe {}'", id)));
  const auto ref = RefOf(found->second.job, *attempt);
  std::vector<store::Op> ops{store::PutJob{found->second.job}, store::PutAttempt{id, *attempt}};
  ops.push_back(EventOp(found->second, "confirmed_clean", {{"by", who}}));
  TryCommit(std::move(ops), [this, ref, done = std::move(done)](const Status& status) {
    if (!status) return done(std::unexpected(status.error()));
    parts.engine.ConfirmClean(ref);
    done(State::kStopping);
  });
}

}  // namespace muster::lifecycle
