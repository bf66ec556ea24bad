#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "lifecycle/conductor_impl.h"

namespace muster::lifecycle {
namespace {

RankInfo* FindRank(Attempt& attempt, int rank) {
  for (RankInfo& info : attempt.ranks)
    if (info.rank == rank) return &info;
  return nullptr;
}

// A role that is missing in the job file was added by the framework as a service.
bool IsService(const JobSpec& spec, const std::string& role) {
  const auto found = std::ranges::find(spec.roles, role, &Role::name);
  return found == spec.roles.end() || found->service;
}

// The launchers of an attempt agree on the first failure by the order of lines in their control
// file: two nodes may fail at the same instant, and only one is the cause.
std::optional<ControlLine> FirstFailure(const std::string& attempt_dir) {
  const auto bytes = os::ReadFile(attempt_dir + "/control", 1 << 20);
  if (!bytes) return std::nullopt;
  for (const std::string& text : Split(*bytes, '\n')) {
    const auto part = DecodeControl(text + '\n');
    if (!part) continue;  // truncated by a full disk; its writer has repeated it
    for (const auto& line : part->lines)
      if (line.by == StoppedBy::kRankFailure && line.node >= 0) return line;
  }
  return std::nullopt;
}

}  // namespace

Live* Conductor::Impl::Current(const engines::AttemptRef& ref) {
  const auto found = jobs.find(ref.job);
  if (found == jobs.end() || found->second.finishing) return nullptr;
  const Attempt* attempt = found->second.job.current();
  return attempt != nullptr && attempt->token == ref.token ? &found->second : nullptr;
}

void Conductor::Impl::TakeRecord(Live& entry, int node, const RecordLine& line,
                                 int64_t end_offset) {
  Attempt& attempt = *entry.job.current();
  if (node < 0 || node >= int(attempt.nodes.size())) return;
  NodeStatus& status = attempt.nodes[size_t(node)];
  status.record_offset = end_offset;
  FlushSoon(entry);
  if (const auto* began = std::get_if<LauncherBegan>(&line.body)) {
    status.began = true;
    if (status.boot.empty()) status.boot = began->boot;
    status.notes = began->notes;
    SayNotes(entry, node, began->notes);
    NoteStarted(entry);
  } else if (const auto* note = std::get_if<StageNote>(&line.body)) {
    Commit({EventOp(entry, "note", {{"node", node}, {"text", note->text}})});
  } else if (const auto* gang = std::get_if<GangNote>(&line.body)) {
    status.notes.push_back(gang->text);
    status.apart = gang->apart ? gang->text : "";
    Commit({EventOp(entry, "note", {{"node", node}, {"text", gang->text}})});
  } else if (const auto* started = std::get_if<RankStarted>(&line.body)) {
    if (RankInfo* rank = FindRank(attempt, started->rank)) {
      rank->pid = started->pid;
      rank->started_ms = line.wall_ms;
    }
    NoteStarted(entry);
  } else if (const auto* ended = std::get_if<RankEnded>(&line.body)) {
    if (RankInfo* rank = FindRank(attempt, ended->rank)) {
      rank->exit = ended->exit;
      rank->ended_ms = line.wall_ms;
    }
    NoteRankEnded(entry);
  } else if (const auto* failed = std::get_if<NodeFailed>(&line.body)) {
    NoteFailure(entry, node, *failed);
  } else if (const auto* stop = std::get_if<StopBegan>(&line.body)) {
    if (stop->by == StoppedBy::kTimeLimit) {
      StopAttempt(entry, StoppedBy::kTimeLimit, "its time limit passed", std::nullopt);
    } else if (stop->by == StoppedBy::kUser && attempt.stopped_by == StoppedBy::kNobody) {
      // Requested at the launcher itself, or by a server that died before it journaled the request.
      attempt.stop_asked = true;
      StopAttempt(entry, StoppedBy::kUser, stop->detail, std::nullopt);
    }
  } else if (const auto* warning = std::get_if<WarningSent>(&line.body)) {
    Commit(
        {EventOp(entry, "warning", {{"signal", warning->signal}, {"left_ms", warning->left_ms}})});
  } else if (const auto* clean = std::get_if<NodeClean>(&line.body)) {
    status.clean = *clean;
  } else if (std::holds_alternative<LauncherEnded>(line.body)) {
    status.ended = true;
    FinishIfOver(entry);
  }
}

// Among the events, users see the notes while the job runs: what an attempt starts from, and for a
// job on a platform what is missing there.
void Conductor::Impl::SayNotes(const Live& entry, int node, const std::vector<std::string>& notes) {
  const std::string start = fmt::format("attempt {} ", entry.job.current()->number);
  std::vector<store::Op> ops;
  for (const std::string& note : notes) {
    if (entry.job.spec.platform.empty() && !note.starts_with(start)) continue;
    ops.push_back(EventOp(entry, "note", {{"node", node}, {"text", note}}));
  }
  if (!ops.empty()) Commit(std::move(ops));
}

void Conductor::Impl::NoteStarted(Live& entry) {
  Attempt& attempt = *entry.job.current();
  if (attempt.started_ms != 0) return;
  if (!std::ranges::all_of(attempt.nodes, &NodeStatus::began)) return;
  if (!std::ranges::all_of(attempt.ranks,
                           [](const RankInfo& rank) { return rank.started_ms != 0; }))
    return;
  attempt.started_ms = Now();
  // A short job has ended when its start is read: one write covers both.
  if (Move(entry, Event::kStarted, "", entry.unsaid)) FlushSoon(entry);
}

// Nodes with services only (parameter servers, hosts of an mpirun) are ended when the working ranks
// have ended.
void Conductor::Impl::NoteRankEnded(Live& entry) {
  const Attempt& attempt = *entry.job.current();
  bool someone_serves = false;
  std::vector<bool> works(attempt.nodes.size(), false);
  for (const RankInfo& rank : attempt.ranks) {
    if (IsService(entry.job.spec, rank.role)) {
      someone_serves = true;
      continue;
    }
    if (!rank.exit || rank.exit->how != ExitClass::kSucceeded) return;
    works[size_t(rank.node)] = true;
  }
  if (someone_serves || !std::ranges::all_of(works, std::identity{})) {
    const ControlLine line{.by = StoppedBy::kRoleEnd, .detail = "the working ranks have ended"};
    if (auto status = parts.engine.Stop(RefOf(entry.job, attempt), line); !status)
      entry.job.reason = status.error().text;
  }
}

void Conductor::Impl::NoteFailure(Live& entry, int node, const NodeFailed& failed) {
  Attempt& attempt = *entry.job.current();
  const auto first = FirstFailure(RefOf(entry.job, attempt).dir);
  const bool is_first = first && first->node == node && first->rank == failed.rank;
  if (attempt.cause && !is_first) return;
  const std::string& name = attempt.nodes[size_t(node)].name;
  attempt.cause = Cause{failed.rank, node, name, failed.exit, failed.what};
  if (attempt.stopped_by != StoppedBy::kNobody) return;  // it ended after the stop request
  StopAttempt(entry, StoppedBy::kRankFailure, failed.what, std::nullopt);
}

void Conductor::Impl::TakeLost(Live& entry, int node, const std::string& why,
                               const NodeClean& clean, ExitClass how) {
  Attempt& attempt = *entry.job.current();
  if (node < 0 || node >= int(attempt.nodes.size())) return;
  NodeStatus& status = attempt.nodes[size_t(node)];
  status.lost = status.ended = true;
  // Without a confirmation the proof came late, but it came.
  if (status.confirmed_by.empty()) {
    status.unproven.clear();
    status.clean = clean;
  }
  NoteLost(entry, node, {.how = how, .detail = why});
  FlushSoon(entry);
  FinishIfOver(entry);
}

// Its ranks have no end of their own any more; the other nodes are stopped.
void Conductor::Impl::NoteLost(Live& entry, int node, const ExitReport& exit) {
  Attempt& attempt = *entry.job.current();
  const NodeStatus& status = attempt.nodes[size_t(node)];
  for (RankInfo& rank : attempt.ranks)
    if (rank.node == node && !rank.exit) {
      rank.exit = exit;
      rank.ended_ms = Now();
    }
  if (!attempt.cause && attempt.stopped_by == StoppedBy::kNobody) {
    const std::string what = fmt::format("node {} {}", status.name, Describe(exit));
    attempt.cause = Cause{-1, node, status.name, exit, what};
    StopAttempt(entry, StoppedBy::kRankFailure, what, std::nullopt);
  }
}

}  // namespace muster::lifecycle
