#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "base/text.h"
#include "scheduler/placement.h"
#include "scheduler/round.h"
#include "scheduler/scheduler.h"
#include "scheduler/way_out.h"
#include "scheduler/words.h"

namespace muster::scheduler {

namespace {

std::unordered_set<JobId> Started(const Round& round) {
  std::unordered_set<JobId> ids;
  for (const Start& start : round.decision.start) ids.insert(start.id);
  return ids;
}

std::string Sentence(std::initializer_list<std::string> parts) {
  std::vector<std::string> said;
  for (const std::string& part : parts) {
    if (!part.empty()) said.push_back(part);
  }
  return Join(said, "; ");
}

// 1 for the head. Jobs that start now or can never start do not count.
int PositionOf(const Round& round, const std::unordered_set<JobId>& started,
               const std::vector<Waiting>& queue, size_t index) {
  int position = 1;
  for (size_t i = round.head.value_or(index); i < index; ++i) {
    if (!started.contains(queue[i].id) && CanEverFit(round.empty, queue[i].demand)) ++position;
  }
  return position;
}

std::string BehindWords(const Round& round, const Waiting& head, const std::string& holders,
                        const Demand& mine) {
  const std::string who =
      fmt::format("job {} (priority {}), which {}", head.id, head.priority, NeedWords(head.demand));
  const bool room = Place(round.free, mine).has_value();
  return Sentence({(room ? "that room is kept for " : "waits behind ") + who, holders});
}

}  // namespace

Why Explain(const Cluster& cluster, const std::vector<Waiting>& queue, JobId id, int64_t now_ms,
            std::string (*clock_text)(int64_t)) {
  Why why;
  const auto found =
      std::find_if(queue.begin(), queue.end(), [id](const Waiting& job) { return job.id == id; });
  if (found == queue.end()) {
    why.text = fmt::format("job {} does not wait for room", id);
    return why;
  }
  const Round round = RunRound(cluster, queue, now_ms);
  const size_t index = size_t(found - queue.begin());
  if (!CanEverFit(round.empty, found->demand)) {
    why.can_ever_fit = false;
    why.text = "can never start here: " +
               NeverWords(round.empty, found->demand, MemoryFault(cluster.nodes, found->demand));
    why.way_out = WayOutOfNever(round, *found);
    return why;
  }
  const std::unordered_set<JobId> started = Started(round);
  if (started.contains(id)) {
    why.text = NeedWords(found->demand) + "; there is room, it is about to start";
    why.expected_ms = now_ms;
    return why;
  }
  // The job could start and does not, so a head with a reservation exists.
  why.position = PositionOf(round, started, queue, index);
  const Waiting& head = queue[*round.head];
  const std::string holders = HolderWords(round, *round.reservation, clock_text);
  const std::string need =
      Sentence({NeedWords(found->demand), FreeWords(round.free, found->demand)});
  if (index == *round.head) {
    why.text = Sentence({need, holders});
    why.expected_ms = round.reservation->at_ms;
  } else {
    why.text = Sentence({need, BehindWords(round, head, holders, found->demand)});
  }
  why.way_out = WayOut(cluster, queue, index, round, now_ms);
  return why;
}

}  // namespace muster::scheduler
