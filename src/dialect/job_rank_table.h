#pragma once

#include <string>
#include <vector>

#include "dialect/framework.h"
#include "dialect/rank_table.h"

namespace muster::dialect {

// The rank table of a job: one text, which every node of the job gets as a file of its own. HCCL
// compares the tables of all ranks, so they must not differ.
struct JobRankTable {
  Shared<std::string> text;
  RankTable table;
};

// Addresses come from the allocation, from the job's rule, or by the usual wiring where nodes are
// virtual and nobody will use them. kInvalid when a job over several real servers has none, when
// ranks and devices do not match, or when a job's rule gives a table that HCCL refuses.
Result<JobRankTable> MakeJobRankTable(const JobFacts& facts, TableForm form);

// The servers of such a table, whatever the job starts on them. kInvalid as above.
Result<std::vector<TableHost>> TableHostsOf(const JobFacts& facts);

// Where a node keeps it. HCCL takes no other ending.
std::string RankTablePath(const NodeOrder& order);

}  // namespace muster::dialect
