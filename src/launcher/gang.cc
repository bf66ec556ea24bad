#include "launcher/gang.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::launcher {
namespace {

constexpr int64_t kStableMs = 10'000;
constexpr int64_t kTrainsApartMs = 30'000;
constexpr int64_t kLongApartMs = 300'000;  // where no training numbers are printed
constexpr int kEnoughLooks = 10;           // of a short job
constexpr int kSureLooks = 3;              // that saw a rank on two nodes
constexpr size_t kMostNamed = 8;

constexpr const char* kAdvice =
    "If they should train together: give the job its framework (`framework:` or -f), and see that "
    "the script starts distributed training with all of them";

std::string KeyOf(const GangMember& member) {
  if (member.job_rank >= 0) return fmt::format("rank {}", member.job_rank);
  if (member.own_rank >= 0)
    return fmt::format("rank {} of {} on node {}", member.own_rank, member.role, member.node);
  return fmt::format("process {}", member.pid);
}

bool IsRank(const GangMember& member) { return member.job_rank >= 0 || member.own_rank >= 0; }

std::string NameOf(const GangMember& member) {
  if (member.job_rank >= 0) return std::to_string(member.job_rank);
  return fmt::format("{} on node {}", member.own_rank, member.node);
}

}  // namespace

Gang::Key Gang::Root(Key key) const {
  for (auto at = parents_.find(key); at != parents_.end() && at->second != key;
       at = parents_.find(key))
    key = at->second;
  return key;
}

void Gang::Link(const Key& a, const Key& b) {
  const Key root = Root(a);
  parents_[root] = Root(b);
}

std::vector<std::vector<Gang::Key>> Gang::Groups() const {
  std::map<Key, std::vector<Key>> groups;
  for (const auto& [key, name] : ranks_) groups[Root(key)].push_back(key);
  std::vector<std::vector<Key>> found;
  for (auto& [root, keys] : groups) found.push_back(std::move(keys));
  return found;
}

void Gang::Take(const GangLook& look) {
  std::map<pid_t, Key> keys;
  std::set<Key> living;
  for (const GangMember& member : look.members) {
    const Key key = keys[member.pid] = KeyOf(member);
    if (!IsRank(member)) continue;
    living.insert(key);
    has_framework_ = has_framework_ || member.own_rank >= 0;
    if (ranks_.emplace(key, NameOf(member)).second) last_new_ms_ = look.now_ms;
  }
  for (const auto& [a, b] : look.links)
    if (keys.contains(a) && keys.contains(b)) Link(keys[a], keys[b]);
  TakeDuplicates(look);
  if (living.size() < 2) return;
  ++looks_together_;
  if (!together_ms_) together_ms_ = look.now_ms;
  if (look.trains && !trains_ms_) trains_ms_ = look.now_ms;
}

// Two nodes that have the same rank of the same role have started the same ranks.
void Gang::TakeDuplicates(const GangLook& look) {
  std::map<std::pair<std::string, int>, std::set<int>> nodes;
  for (const GangMember& member : look.members)
    if (member.own_rank >= 0) nodes[{member.role, member.own_rank}].insert(member.node);
  std::vector<std::string> ranks;
  std::set<int> where;
  for (const auto& [rank, on] : nodes) {
    if (on.size() < 2) continue;
    if (ranks.size() < kMostNamed) ranks.push_back(std::to_string(rank.second));
    where.insert(on.begin(), on.end());
  }
  if (ranks.empty()) return void(looks_with_duplicate_ = 0);
  ++looks_with_duplicate_;
  std::vector<std::string> names;
  for (const int node : where) names.push_back(std::to_string(node));
  duplicate_ = fmt::format(
      "nodes {} started the same ranks of the framework ({}): each node counts its ranks from the "
      "same number, so they do not form one world. {}",
      Join(names, ", "), Join(ranks, ", "), kAdvice);
}

std::vector<GangNote> Gang::NoteApart() {
  if (std::exchange(noted_apart_, true)) return {};
  const auto groups = Groups();
  std::vector<std::string> named;
  for (const auto& group : groups) {
    std::vector<std::string> names;
    for (const Key& key : group)
      if (names.size() < kMostNamed) names.push_back(ranks_.at(key));
    if (names.size() < group.size()) names.emplace_back("…");
    if (named.size() < kMostNamed) named.push_back(Join(names, " "));
  }
  if (named.size() < groups.size()) named.emplace_back("…");
  const bool alone = groups.size() == ranks_.size();
  std::string text =
      alone ? fmt::format(
                  "the {} ranks of this job have not connected to each other, so each "
                  "of them works alone. {}",
                  ranks_.size(), kAdvice)
            : fmt::format(
                  "the {} ranks of this job form {} groups without a connection between "
                  "them ({}), so each group works alone. {}",
                  ranks_.size(), groups.size(), Join(named, " | "), kAdvice);
  // Ranks without the variables of a framework may be independent by intention.
  return {{std::move(text), has_framework_}};
}

std::vector<GangNote> Gang::TakeNotes(int64_t now_ms) {
  if (looks_with_duplicate_ >= kSureLooks && !std::exchange(noted_duplicate_, true)) {
    noted_apart_ = true;  // the same finding
    return {{duplicate_, true}};
  }
  if (noted_duplicate_) return {};
  if (noted_apart_ && !IsApart()) {
    noted_apart_ = false;
    return {{"all ranks of this job are connected now", false}};
  }
  if (!IsApart()) return {};
  const bool trained = trains_ms_ && now_ms - *trains_ms_ >= kTrainsApartMs;
  const bool waited = together_ms_ && now_ms - *together_ms_ >= kLongApartMs;
  return trained || waited ? NoteApart() : std::vector<GangNote>();
}

std::vector<GangNote> Gang::TakeNotesAtEnd() {
  if (noted_duplicate_ || looks_together_ < kEnoughLooks || !IsApart()) return {};
  return NoteApart();
}

bool Gang::IsComplete(int64_t now_ms) const {
  return ranks_.size() > 1 && !IsApart() && now_ms - last_new_ms_ >= kStableMs;
}

}  // namespace muster::launcher
