#include "store/list_query.h"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

namespace muster::store {
namespace {

std::set<State> StatesOf(const JobFilter& filter) {
  std::set<State> states(filter.states.begin(), filter.states.end());
  if (states.empty())
    for (int i = 0; i < kStateCount; ++i) states.insert(State(i));
  return states;
}

// The index that leaves least to look at: a sweep is small, a name rarely common, a user often is.
const char* IndexFor(const JobFilter& filter) {
  if (!filter.group.empty()) return "jobs_group";
  if (!filter.name.empty()) return "jobs_name";
  if (!filter.user.empty()) return "jobs_user";
  if (!filter.states.empty()) return "jobs_state";
  return nullptr;
}

}  // namespace

ListQuery MakeListQuery(const JobFilter& filter) {
  ListQuery query;
  const auto bind = [&query](SqlValue value) {
    query.values.push_back(value);
    return fmt::format("?{}", query.values.size());
  };
  const std::string limit = bind(int64_t{std::max(filter.limit, 0)});
  std::string where = "id < " + bind(filter.before.value_or(std::numeric_limits<JobId>::max()));
  if (!filter.name.empty()) where += " AND name = " + bind(filter.name);
  // The second term tells SQLite that the index, which leaves out jobs without a group, will do.
  if (!filter.group.empty()) where += " AND grp <> '' AND grp = " + bind(filter.group);
  if (!filter.user.empty()) where += " AND user = " + bind(filter.user);
  if (!filter.label.first.empty()) {
    // Labels have no index: this looks at the spec of every job that fits otherwise.
    const std::string label_name = bind(filter.label.first);
    const std::string label_value = bind(filter.label.second);
    where += fmt::format(
        " AND EXISTS (SELECT 1 FROM specs, json_each(doc, '$.labels') AS label WHERE "
        "job_id = jobs.id AND label.key = {} AND label.value = {})",
        label_name, label_value);
  }

  const char* index = IndexFor(filter);
  if (index == nullptr) {
    query.sql = fmt::format("SELECT {} FROM jobs WHERE {}", kJobRowColumns, where);
  } else {
    for (const State state : StatesOf(filter)) {
      if (!query.sql.empty()) query.sql += " UNION ALL ";
      query.sql += fmt::format("SELECT {} FROM jobs INDEXED BY {} WHERE {} AND state = {}",
                               kJobRowColumns, index, where, bind(Name(state)));
    }
  }
  query.sql += " ORDER BY id DESC LIMIT " + limit;
  return query;
}

}  // namespace muster::store
