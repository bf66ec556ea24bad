#include "scheduler/words.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::scheduler {

namespace {

constexpr size_t kMaxListed = 4;   // up to this many nodes are listed singly
constexpr size_t kMaxHolders = 3;  // up to this many jobs are named

std::string Enumerate(const std::vector<std::string>& items) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

std::string GroupWords(const Demand::Group& group) {
  return group.nodes == 1
             ? fmt::format("{} {} on one node", group.count, group.kind)
             : fmt::format("{} {} on each of {} nodes", group.count, group.kind, group.nodes);
}

// Free counts of the nodes that have this kind, in descending order.
std::vector<int> SortedFree(const DevicePool& pool, const std::string& kind) {
  std::vector<int> free = pool.FreeCounts(pool.KindIndex(kind));
  std::sort(free.rbegin(), free.rend());
  return free;
}

std::string FreeOf(const DevicePool& pool, const Demand::Group& group) {
  const std::vector<int> free = SortedFree(pool, group.kind);
  if (free.empty()) return "none";
  if (free.size() <= kMaxListed) {
    std::vector<std::string> items;
    for (const int count : free) items.push_back(std::to_string(count));
    return Enumerate(items);
  }
  const auto enough = size_t(
      std::count_if(free.begin(), free.end(), [&](int count) { return count >= group.count; }));
  if (enough == free.size()) return fmt::format("{} or more on all {} nodes", group.count, enough);
  const size_t others = free.size() - enough;
  const std::string least = free[enough] == 0 ? "none" : fmt::format("at most {}", free[enough]);
  if (enough == 0) return fmt::format("{} on {} nodes", least, others);
  return fmt::format("{} or more on {}, {} on {} others", group.count,
                     enough == 1 ? "1 node" : fmt::format("{} nodes", enough), least, others);
}

// Whether two placements need the same devices, or memory of the same machine.
bool Overlap(const DevicePool& pool, const Placement& a, const Placement& b) {
  for (const Grant& x : a) {
    for (const Grant& y : b) {
      const bool one_machine = pool.MachineOf(x.node) == pool.MachineOf(y.node);
      if (one_machine && x.memory > 0 && y.memory > 0) return true;
      if (x.node != y.node || x.kind != y.kind) continue;
      if (std::find_first_of(x.devices.begin(), x.devices.end(), y.devices.begin(),
                             y.devices.end()) != x.devices.end()) {
        return true;
      }
    }
  }
  return false;
}

// The number of reserved devices that the holder has.
size_t HeldThere(const Holder& holder, const Placement& reserved) {
  size_t count = 0;
  for (const Grant& held : holder.placement) {
    const bool there = std::any_of(reserved.begin(), reserved.end(), [&](const Grant& grant) {
      return grant.node == held.node && grant.kind == held.kind;
    });
    if (there) count += held.devices.size();
  }
  return count;
}

// Memory of the holder on machines of which memory is reserved.
int64_t MemoryHeldThere(const DevicePool& pool, const Holder& holder, const Placement& reserved) {
  int64_t memory = 0;
  for (const Grant& held : holder.placement) {
    const bool there = std::ranges::any_of(reserved, [&](const Grant& grant) {
      return grant.memory > 0 && pool.MachineOf(grant.node) == pool.MachineOf(held.node);
    });
    if (there) memory += held.memory;
  }
  return memory;
}

std::string OneHolder(const Round& round, const Holder& holder, const Reservation& reservation,
                      std::string (*clock_text)(int64_t)) {
  const size_t devices = HeldThere(holder, reservation.placement);
  const int64_t memory = MemoryHeldThere(round.free, holder, reservation.placement);
  std::string text = fmt::format("job {} holds ", holder.id);
  if (devices > 0 || memory == 0) text += std::to_string(devices);
  if (memory > 0)
    text += fmt::format("{}{} of memory", devices > 0 ? " and " : "", HumanSize(memory));
  const auto& preempt = round.decision.preempt;
  if (std::find(preempt.begin(), preempt.end(), holder.id) != preempt.end()) {
    return text + " and is stopped for it";
  }
  if (holder.stopping) return text + " and is stopping";
  if (holder.until_ms) return text + " until about " + clock_text(*holder.until_ms);
  return text + ", without a time limit";
}

// What one group lacks in an empty cluster; empty if the group fits alone.
std::string NeverOf(const DevicePool& empty, const Demand::Group& group) {
  const std::vector<int> total = SortedFree(empty, group.kind);
  const std::string need = GroupWords(group);
  if (total.empty() || total.front() == 0) {
    return fmt::format("needs {}, no node has {}", need, group.kind);
  }
  if (group.count > total.front()) {
    return fmt::format("needs {}, the largest has {}", need, total.front());
  }
  const auto enough =
      std::count_if(total.begin(), total.end(), [&](int count) { return count >= group.count; });
  if (group.nodes <= enough) return {};
  return fmt::format("needs {}, {} so many", need,
                     enough == 1 ? "only one node has" : fmt::format("only {} nodes have", enough));
}

}  // namespace

std::string NeedWords(const Demand& demand) {
  std::vector<std::string> items;
  for (const Demand::Group& group : demand.groups) {
    if (items.size() == kMaxListed) {
      items.push_back(fmt::format("{} more roles", demand.groups.size() - kMaxListed));
      break;
    }
    items.push_back(demand.groups.size() == 1
                        ? GroupWords(group)
                        : fmt::format("{} ({})", GroupWords(group), group.role));
  }
  std::string text = "needs " + Enumerate(items);
  if (demand.memory > 0) {
    const bool one = demand.groups.size() == 1 && demand.groups.front().nodes == 1;
    text += fmt::format(", with {} of memory{}", HumanSize(demand.memory), one ? "" : " on each");
  }
  return text;
}

std::string FreeWords(const DevicePool& pool, const Demand& demand) {
  std::vector<std::string> seen, items;
  for (const Demand::Group& group : demand.groups) {
    if (std::find(seen.begin(), seen.end(), group.kind) != seen.end()) continue;
    seen.push_back(group.kind);
    items.push_back(FreeOf(pool, group));
  }
  if (items.size() > 1) {
    for (size_t i = 0; i < items.size(); ++i) items[i] = fmt::format("{} {}", seen[i], items[i]);
  }
  if (demand.memory > 0)
    items.push_back(HumanSize(std::max<int64_t>(0, pool.MostFreeMemory())) + " of memory");
  return "free now: " + Join(items, "; ");
}

std::string HolderWords(const Round& round, const Reservation& reservation,
                        std::string (*clock_text)(int64_t)) {
  std::vector<std::string> items;
  size_t others = 0;
  for (const Holder& holder : round.holders) {
    if (!Overlap(round.free, holder.placement, reservation.placement)) continue;
    if (items.size() == kMaxHolders) {
      ++others;
    } else {
      items.push_back(OneHolder(round, holder, reservation, clock_text));
    }
  }
  if (others > 0) items.push_back(fmt::format("{} more jobs hold the rest", others));
  return Join(items, "; ");
}

std::string NeverWords(const DevicePool& empty, const Demand& demand,
                       const std::string& memory_fault) {
  for (const Demand::Group& group : demand.groups) {
    std::string text = NeverOf(empty, group);
    if (!text.empty()) return text;
  }
  if (!memory_fault.empty()) return fmt::format("{}; {}", NeedWords(demand), memory_fault);
  return NeedWords(demand) + ", more than all nodes together have";
}

}  // namespace muster::scheduler
