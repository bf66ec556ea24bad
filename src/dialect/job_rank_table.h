#pragma once

#include <string>
#include <vector>

#include "dialect/framework.h"
#include "dialect/rank_table.h"

namespace muster::dialect {

// The rank table of a job: one text for all nodes. HCCL compares the tables of all ranks, so they
// must be identical.
struct JobRankTable {
  Shared<std::string> text;
  RankTable table;
};

// Addresses come from the allocation, from the job's rule, or, for virtual nodes whose addresses
// are not used, from the usual wiring. kInvalid if a job on several real servers has none, if ranks
// and devices do not match, or if the rule yields a table that HCCL refuses.
Result<JobRankTable> MakeJobRankTable(const JobFacts& facts, TableForm form);

// The servers of such a table, whatever the job starts on them. kInvalid as above.
Result<std::vector<TableHost>> TableHostsOf(const JobFacts& facts);

// The path of the table on a node. HCCL requires the extension .json.
std::string RankTablePath(const NodeOrder& order);

}  // namespace muster::dialect
