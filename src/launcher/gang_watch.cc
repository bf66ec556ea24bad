#include "launcher/gang_watch.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "launcher/follow.h"
#include "os/file.h"
#include "os/process_table.h"
#include "os/tcp_links.h"

namespace muster::launcher {
namespace {

constexpr int64_t kFirstLookMs = 500;
constexpr int64_t kOftenMs = 100, kOftenUntilMs = 60'000;
constexpr int64_t kSeldomMs = 2'000, kSeldomUntilMs = 600'000;
constexpr int64_t kRarelyMs = 10'000, kLongestMs = 3'600'000;
constexpr int64_t kSearchEveryMs = 1'000;
constexpr int64_t kRestShare = 20;
constexpr int64_t kLargestTable = 64 << 20;

// A framework's number of a rank, and the variable that must be there beside it: launchers of
// Paddle have the number of their node in the same variable.
struct RankVariable {
  std::string_view name, beside;
};
constexpr std::array<RankVariable, 6> kRankVariables{
    {{"RANK", "WORLD_SIZE"},
     {"PADDLE_TRAINER_ID", "PADDLE_CURRENT_ENDPOINT"},
     {"HOROVOD_RANK", "HOROVOD_SIZE"},
     {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
     {"MS_NODE_ID", "MS_WORKER_NUM"},
     {"RANK_ID", "RANK_SIZE"}}};
// Ports at which ranks that Muster starts meet.
constexpr std::array<std::string_view, 5> kMeetingPorts{
    "MASTER_PORT", "PADDLE_MASTER", "MS_SCHED_PORT", "JAX_COORDINATOR_PORT", "MUSTER_MASTER_PORT"};

std::string_view Value(const Pairs& env, std::string_view name) {
  const auto found = std::ranges::find(env, name, [](const auto& pair) { return pair.first; });
  return found == env.end() ? "" : std::string_view(found->second);
}

bool StartsRanksItself(const NodeOrder& order) {
  return std::ranges::any_of(
      order.ranks, [](const RankOrder& rank) { return !Value(rank.env, "MUSTER_RANK").empty(); });
}

// One process that says itself that it is the only rank.
bool IsSingle(const NodeOrder& order) {
  return order.node_count == 1 && order.ranks.size() == 1 && StartsRanksItself(order) &&
         Value(order.ranks.front().env, "MUSTER_LOCAL_WORLD_SIZE") == "1" &&
         Value(order.env, "MUSTER_DEVICES").find(',') == std::string_view::npos;
}

bool IsOnOneMachine(const NodeOrder& order) { return order.node_count == 1 || order.isolate; }

bool MetAtPort(const NodeOrder& order) {
  if (!StartsRanksItself(order)) return false;  // the launchers of the nodes use the port
  std::string tables;
  for (const char* path : {"/proc/net/tcp", "/proc/net/tcp6"})
    tables += os::ReadFile(path, kLargestTable).value_or("");
  return std::ranges::any_of(kMeetingPorts, [&](std::string_view name) {
    const std::string_view value = Value(order.env, name);
    const auto port = ParseInt(value.substr(value.rfind(':') + 1));
    return port && HasConnectionWith(tables, int(*port));
  });
}

}  // namespace

GangMember MemberOf(pid_t pid, const std::vector<std::string>& environment) {
  std::map<std::string_view, std::string_view> values;
  for (const std::string& entry : environment) {
    const size_t equals = entry.find('=');
    if (equals == std::string::npos) continue;
    values.emplace(std::string_view(entry).substr(0, equals),
                   std::string_view(entry).substr(equals + 1));
  }
  const auto number = [&](std::string_view name) {
    const auto found = values.find(name);
    const auto value = found == values.end() ? std::nullopt : ParseInt(found->second);
    return value && *value >= 0 && *value < 1'000'000 ? int(*value) : -1;
  };
  GangMember member{.pid = pid, .node = std::max(0, number("MUSTER_NODE_INDEX"))};
  if (const auto role = values.find("MUSTER_ROLE"); role != values.end())
    member.role = role->second;
  member.job_rank = number("MUSTER_RANK");
  for (const RankVariable& variable : kRankVariables) {
    if (member.own_rank >= 0 || !values.contains(variable.beside)) continue;
    member.own_rank = number(variable.name);
  }
  return member;
}

bool HasConnectionWith(std::string_view table, int port) {
  constexpr size_t kLocal = 1, kRemote = 2, kState = 3;
  constexpr std::string_view kListens = "0A";
  const std::string end = fmt::format(":{:04X}", port);
  for (const std::string& line : Split(table, '\n')) {
    std::vector<std::string> fields = Split(line, ' ');
    std::erase(fields, "");
    if (fields.size() <= kState || fields[kState] == kListens) continue;
    if (fields[kLocal].ends_with(end) || fields[kRemote].ends_with(end)) return true;
  }
  return false;
}

void GangWatch::Start() {
  if (order_.node != 0 || !IsOnOneMachine(order_) || IsSingle(order_)) return;
  began_ms_ = loop_.clock().SteadyMs();
  timer_ = loop_.After(kFirstLookMs, [this] { Tick(); });
}

void GangWatch::Cancel() { loop_.Cancel(std::exchange(timer_, 0)); }

void GangWatch::Tick() {
  timer_ = 0;
  const int64_t before_ms = loop_.clock().SteadyMs();
  Look();
  const int64_t now_ms = loop_.clock().SteadyMs();
  Write(gang_.TakeNotes(now_ms));
  const int64_t age_ms = now_ms - began_ms_;
  if (gang_.IsComplete(now_ms) || age_ms > kLongestMs) return;
  const int64_t pause_ms = age_ms < kOftenUntilMs    ? kOftenMs
                           : age_ms < kSeldomUntilMs ? kSeldomMs
                                                     : kRarelyMs;
  timer_ = loop_.After(std::max(pause_ms, kRestShare * (now_ms - before_ms)), [this] { Tick(); });
}

void GangWatch::FindMembers() {
  members_.clear();
  for (const os::ProcessInfo& process :
       os::ProcessesMarked("MUSTER_ATTEMPT_TOKEN=" + order_.token)) {
    const auto environment =
        os::ReadFile(os::Path(fmt::format("/proc/{}/environ", process.pid)), 16 << 20);
    if (environment) members_.push_back(MemberOf(process.pid, Split(*environment, '\0')));
  }
}

void GangWatch::Look() {
  const int64_t now_ms = loop_.clock().SteadyMs();
  if (searched_ms_ == 0 || now_ms - searched_ms_ >= kSearchEveryMs) {
    FindMembers();
    searched_ms_ = now_ms;
  }
  std::erase_if(members_, [](const GangMember& member) {
    const auto process = os::ReadProcess(member.pid);
    return !process || !os::IsAlive(*process);
  });
  std::vector<pid_t> pids;
  for (const GangMember& member : members_) pids.push_back(member.pid);
  gang_.Take({now_ms, members_, os::TcpLinks(pids), follower_.HasTrained()});
}

void GangWatch::Write(std::vector<GangNote> notes) {
  for (GangNote& note : notes) record_.Append(std::move(note));
}

void GangWatch::Finish() {
  if (timer_ == 0) return;  // complete, or not watched
  Cancel();
  auto notes = gang_.TakeNotesAtEnd();
  if (!notes.empty() && !MetAtPort(order_)) Write(std::move(notes));
}

}  // namespace muster::launcher
