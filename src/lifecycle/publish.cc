#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "dialect/publishing.h"
#include "lifecycle/conductor_impl.h"
#include "lifecycle/judge.h"

namespace muster::lifecycle {
namespace {

constexpr int kTokenBytes = 16;
constexpr int64_t kRetryMs = 250;
// A launcher that is killed this often is killed on purpose.
constexpr int kMostTries = 200;
constexpr int kTriesAtOnce = 5;  // further ones wait

// The state in which the job would end now; nothing if another attempt follows.
std::optional<State> EndOf(const Job& job) {
  Attempt attempt = *job.current();
  attempt.exit = OverallExit(attempt);
  const Event event = OutcomeOf(job.spec, job.used_retries, attempt).event;
  if (event == Event::kEndedRetry) return std::nullopt;
  return Next(job.state, event).next;
}

bool HasRun(const Job& job) {
  return std::ranges::any_of(job.attempts, [](const Attempt& attempt) {
    return std::ranges::any_of(attempt.ranks, [](const RankInfo& rank) { return rank.started_ms; });
  });
}

dialect::JobEnd JobEndOf(const Job& job) {
  const auto end = EndOf(job);
  return {end ? std::string(Name(*end)) : "", HasRun(job)};
}

}  // namespace

Live* Conductor::Impl::Publishing(const engines::AttemptRef& ref) {
  const auto found = jobs.find(ref.job);
  if (found == jobs.end() || found->second.finishing) return nullptr;
  const Attempt* attempt = found->second.job.current();
  const bool current = attempt != nullptr && attempt->publish && !attempt->publish->over &&
                       attempt->publish->token == ref.token;
  return current ? &found->second : nullptr;
}

engines::AttemptRef Conductor::Impl::PublishRef(const Job& job, const Attempt& attempt) const {
  engines::AttemptRef ref = RefOf(job, attempt);
  ref.token = attempt.publish->token;
  ref.dir = fmt::format("{}/publish/{}", ref.dir, attempt.publish->tries);
  return ref;
}

bool Conductor::Impl::PublishFirst(Live& entry) {
  Attempt& attempt = *entry.job.current();
  if (attempt.publish) {
    if (attempt.publish->over) return false;
    // Resumed after a crash, or called twice.
    if (const auto status = TakeUpPublishing(entry); !status)
      EndPublishing(entry, status.error().text);
    return true;
  }
  const JobSpec& spec = entry.job.spec;
  if (spec.published.empty() && spec.logs.empty()) return false;
  if (!EndOf(entry.job)) return false;
  const auto orders = Orders(entry.job, attempt);
  if (orders &&
      dialect::PublicationAtEnd(spec, PlacesOf(entry.job, attempt), *orders, JobEndOf(entry.job))
          .empty())
    return false;
  attempt.ended_ms = Now();
  parts.engine.Release(RefOf(entry.job, attempt));
  ScheduleSoon();
  BeginPublishing(entry);
  return true;
}

// Journaled before the engine is called, as for an attempt.
void Conductor::Impl::BeginPublishing(Live& entry) {
  Attempt& attempt = *entry.job.current();
  PublishStatus& publish = attempt.publish.emplace(attempt.publish.value_or(PublishStatus{}));
  ++publish.tries;
  publish.notes.clear();
  publish.token = os::RandomHex(kTokenBytes);
  publish.record_offset = 0;
  std::vector<store::Op> ops;
  if (publish.tries == 1) {
    const dialect::JobEnd end = JobEndOf(entry.job);
    const bool outputs = std::ranges::any_of(entry.job.spec.published, [&](const auto& output) {
      return end.state == Name(State::kSucceeded) || (output.always && end.ran);
    });
    entry.job.reason = outputs ? "publishing its outputs" : "copying its logs";
    ops.push_back(EventOp(entry, "publishing", {}));
  }
  ops.push_back(store::PutJob{entry.job});
  ops.push_back(store::PutAttempt{entry.job.id, attempt});
  const auto begin = [this, ref = PublishRef(entry.job, attempt)] {
    Live* now = Publishing(ref);
    if (now == nullptr) return;
    if (const auto status = TakeUpPublishing(*now); !status)
      EndPublishing(*now, status.error().text);
  };
  Commit(WithUnsaid(entry, std::move(ops)), begin);
}

Status Conductor::Impl::TakeUpPublishing(Live& entry) {
  const Attempt& attempt = *entry.job.current();
  const engines::AttemptRef ref = PublishRef(entry.job, attempt);
  // Planned again when needed: all inputs are in the journal.
  MUSTER_ASSIGN(const auto orders, Orders(entry.job, attempt));
  const auto publication = dialect::PublicationAtEnd(entry.job.spec, PlacesOf(entry.job, attempt),
                                                     orders, JobEndOf(entry.job));
  const NodeOrder order = dialect::PublishingOrder(orders.front(), ref.token, ref.dir, publication);
  MUSTER_TRY(os::MakeDirs(ref.dir));
  // Requested first, so that a launcher that has not started does not start.
  if (attempt.publish->cut) MUSTER_TRY(parts.engine.Stop(ref, {.by = StoppedBy::kUser}));
  NodeStatus node;
  node.record_offset = attempt.publish->record_offset;
  const auto status = parts.engine.Recover(ref, {node}, {order});
  if (status || status.error().code != Code::kNoSpace) return status;
  if (IsRare("publish"))
    LogWarning("job {}, and perhaps others, waits for room to publish: {}", ref.job,
               status.error().text);
  parts.loop.After(kRetryMs, [this, still = here, ref] {
    if (!*still) return;
    if (Live* now = Publishing(ref)) (void)PublishFirst(*now);
  });
  return {};
}

void Conductor::Impl::TakePublishRecord(Live& entry, const RecordLine& line, int64_t end_offset) {
  PublishStatus& publish = *entry.job.current()->publish;
  publish.record_offset = end_offset;
  FlushSoon(entry);
  if (const auto* note = std::get_if<StageNote>(&line.body)) {
    if (!note->progress) publish.notes.push_back(note->text);
    Commit({EventOp(entry, "note", {{"node", 0}, {"text", note->text}})});
  } else if (const auto* failed = std::get_if<NodeFailed>(&line.body)) {
    publish.error = failed->what;
  } else if (std::holds_alternative<LauncherEnded>(line.body)) {
    EndPublishing(entry, publish.error);
  }
}

// The next launcher resumes its copies.
void Conductor::Impl::TakePublisherLost(Live& entry, const std::string& why) {
  Attempt& attempt = *entry.job.current();
  const engines::AttemptRef ref = PublishRef(entry.job, attempt);
  parts.engine.Release(ref);
  if (attempt.publish->cut) return EndPublishing(entry, attempt.publish->error);
  if (attempt.publish->tries >= kMostTries)
    return EndPublishing(
        entry, fmt::format("{} tries to publish were cut short: {}", attempt.publish->tries, why));
  LogWarning("job {}: publishing begins again: {}", entry.job.id, why);
  if (attempt.publish->tries < kTriesAtOnce) return BeginPublishing(entry);
  parts.loop.After(kRetryMs, [this, still = here, ref] {
    if (!*still) return;
    if (Live* now = Publishing(ref)) BeginPublishing(*now);
  });
}

// A failed publication is the error of a successful job, and a note on any other job.
void Conductor::Impl::EndPublishing(Live& entry, std::string error) {
  Attempt& attempt = *entry.job.current();
  parts.engine.Release(PublishRef(entry.job, attempt));
  PublishStatus& publish = *attempt.publish;
  publish.over = true;
  publish.error = std::move(error);
  json::object data{{"whole", publish.error.empty() && !publish.cut}};
  if (!publish.error.empty()) data["error"] = publish.error;
  Commit({EventOp(entry, "published", std::move(data))});
  if (!publish.error.empty() && !attempt.cause && attempt.stopped_by == StoppedBy::kNobody) {
    const ExitReport exit{.how = ExitClass::kNotPublished, .detail = publish.error};
    attempt.cause = Cause{-1, 0, attempt.nodes.front().name, exit, publish.error};
  }
  FinishIfOver(entry);
}

}  // namespace muster::lifecycle
