#pragma once

#include <string>
#include <vector>

#include "store/journal.h"
#include "store/sqlite.h"

namespace muster::store {

// A list of jobs as SQL whose cost depends on the limit and not on how many jobs there are: one
// walk of an index for each state, merged by id. A label costs a look at each job's spec. Values
// refer to the filter.
struct ListQuery {
  std::string sql;  // columns as in kJobRowColumns
  std::vector<SqlValue> values;
};

inline constexpr char kJobRowColumns[] =
    "id, name, framework, grp, user, reason, state, nodes, ranks, devices, priority, created_ms,"
    " started_ms, ended_ms, attempts";

ListQuery MakeListQuery(const JobFilter& filter);
// Columns: state, number of jobs. Reads every job unless the filter has no text.
ListQuery MakeCountQuery(const JobFilter& filter);

}  // namespace muster::store
