#include "dialect/extra.h"

#include <algorithm>

#include <fmt/format.h>

namespace muster::dialect {

RankOrder& AddExtra(const JobFacts& facts, std::vector<NodeOrder>& orders, int node,
                    const std::string& role, std::vector<std::string> argv) {
  int rank = int(facts.ranks.size());
  for (const NodeOrder& other : orders) {
    if (!other.ranks.empty()) rank = std::max(rank, other.ranks.back().rank + 1);
  }
  NodeOrder& order = orders[size_t(node)];
  RankOrder extra{.rank = rank,
                  .local_rank = int(order.ranks.size()),
                  .role = role,
                  .service = true,
                  .argv = std::move(argv),
                  .env = {{"MUSTER_ROLE", role}},
                  .cwd = order.code_dir.empty() ? order.work_dir : order.work_dir + "/code"};
  if (order.code_per_rank) extra.cwd = fmt::format("{}/rank{}", order.work_dir, rank);
  order.ranks.push_back(std::move(extra));
  return order.ranks.back();
}

}  // namespace muster::dialect
