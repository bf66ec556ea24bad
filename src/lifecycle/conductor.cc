#include "lifecycle/conductor.h"

#include "lifecycle/conductor_impl.h"

namespace muster::lifecycle {

Conductor::Conductor(Parts parts) : impl_(std::make_unique<Impl>(parts)) {
  parts.engine.SetEvents(this);
}
Conductor::~Conductor() { *impl_->here = false; }

Status Conductor::Recover() { return impl_->Recover(); }

void Conductor::Submit(SubmitRequest request,
                       std::function<void(std::expected<SubmitResult, Refusal>)> done) {
  impl_->Submit(std::move(request), std::move(done));
}
void Conductor::Stop(JobId id, const std::string& who, std::optional<int64_t> grace_ms,
                     std::function<void(Result<State>)> done) {
  impl_->Stop(id, who, grace_ms, std::move(done));
}
void Conductor::ConfirmClean(JobId id, const std::string& who,
                             std::function<void(Result<State>)> done) {
  impl_->ConfirmClean(id, who, std::move(done));
}
void Conductor::StopGroup(const std::string& group, const std::string& who,
                          std::function<void(Result<int>)> done) {
  impl_->StopGroup(group, who, std::move(done));
}
void Conductor::Update(JobId id, const JobChange& change, const std::string& who,
                       std::function<void(Result<State>)> done) {
  impl_->Update(id, change, who, std::move(done));
}
void Conductor::Rerun(JobId id, const std::string& key, const std::string& user,
                      const json::object& parameters,
                      std::function<void(std::expected<SubmitResult, Refusal>)> done) {
  impl_->Rerun(id, key, user, parameters, std::move(done));
}
void Conductor::Remove(JobId id, std::function<void(Status)> done) {
  impl_->Remove(id, std::move(done));
}

Result<Job> Conductor::Find(JobId id) const {
  auto job = impl_->Find(id);
  if (job && job->state == State::kQueued && job->reason.empty()) job->reason = WaitReason(id);
  return job;
}
std::string Conductor::WaitReason(JobId id) const { return impl_->WaitReason(id); }
Result<scheduler::Why> Conductor::Why(JobId id) const { return impl_->Why(id); }
std::vector<NodeUse> Conductor::Nodes() const { return impl_->Nodes(); }
Conductor::PlanWork Conductor::PlanOf(json::value document) const {
  return impl_->PlanOf(std::move(document));
}
json::object Conductor::VerdictOf(const Job& job) const { return impl_->VerdictOf(job); }

Conductor::WatchId Conductor::OnEvents(std::optional<JobId> job, std::function<void()> fn) {
  return impl_->watchers.Add(job, std::move(fn));
}
void Conductor::Unwatch(WatchId id) { impl_->watchers.Remove(id); }

os::Path Conductor::JobDir(JobId id) const { return impl_->JobDir(id); }
Pairs Conductor::OutputFolders(const Job& job) const { return impl_->OutputFolders(job); }
os::Path Conductor::NodeDir(JobId id, int attempt, int node) const {
  return impl_->JobDir(id) / "attempts" / std::to_string(attempt) / ("node" + std::to_string(node));
}

void Conductor::OnRecord(const engines::AttemptRef& attempt, int node, const RecordLine& line,
                         int64_t end_offset) {
  if (Live* live = impl_->Current(attempt)) impl_->TakeRecord(*live, node, line, end_offset);
  if (Live* live = impl_->Publishing(attempt)) impl_->TakePublishRecord(*live, line, end_offset);
}
void Conductor::OnNodeLost(const engines::AttemptRef& attempt, int node, const std::string& why,
                           const NodeClean& clean) {
  if (Live* live = impl_->Current(attempt))
    impl_->TakeLost(*live, node, why, clean, ExitClass::kLost);
  if (Live* live = impl_->Publishing(attempt)) impl_->TakePublisherLost(*live, why);
}
void Conductor::OnNodeUnproven(const engines::AttemptRef& attempt, int node,
                               const std::string& why) {
  if (Live* live = impl_->Current(attempt)) impl_->TakeUnproven(*live, node, why);
  // A publisher starts no program of a user: what it starts keeps its mark, and was swept.
  if (impl_->Publishing(attempt) != nullptr) impl_->parts.engine.ConfirmClean(attempt);
}

}  // namespace muster::lifecycle
