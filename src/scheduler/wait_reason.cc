#include "scheduler/wait_reason.h"

#include <fmt/format.h>

#include "scheduler/way_out.h"
#include "scheduler/words.h"

namespace muster::scheduler {

WaitReasons::WaitReasons(Cluster cluster, std::vector<Waiting> queue, int64_t now_ms)
    : cluster_(std::move(cluster)),
      queue_(std::move(queue)),
      round_(RunRound(cluster_, queue_, now_ms)) {
  for (size_t i = 0; i < queue_.size(); ++i) index_.emplace(queue_[i].id, i);
  for (const Start& start : round_.decision.start) started_.insert(start.id);
}

std::string WaitReasons::Of(JobId id) const {
  const auto found = index_.find(id);
  if (found == index_.end()) return {};
  const Demand& demand = queue_[found->second].demand;
  if (!CanEverFit(round_.empty, demand)) {
    return "can never start here: " +
           NeverWords(round_.empty, demand, MemoryFault(cluster_.nodes, demand));
  }
  if (started_.contains(id)) return "is about to start";
  const std::string need = fmt::format("{}; {}", NeedWords(demand), FreeWords(round_.free, demand));
  if (found->second == round_.head) return need;
  return fmt::format("waits behind job {}; {}", queue_[*round_.head].id, need);
}

std::string NeverText(const Never& never) {
  return never.way_out.empty() ? never.text : fmt::format("{}; {}", never.text, never.way_out);
}

std::optional<Never> NeverFits(const std::vector<NodeInfo>& nodes, const Demand& demand) {
  const DevicePool empty(nodes);
  if (CanEverFit(empty, demand)) return std::nullopt;
  const Waiting job{.id = 1, .demand = demand};
  const Round round = RunRound({nodes, {}}, {job}, 0);
  return Never{NeverWords(empty, demand, MemoryFault(nodes, demand)), WayOutOfNever(round, job)};
}

}  // namespace muster::scheduler
