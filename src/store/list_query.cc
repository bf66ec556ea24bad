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

// The index with the fewest rows: sweeps are small, names often specific, users rarely.
const char* IndexFor(const JobFilter& filter) {
  if (!filter.group.empty()) return "jobs_group";
  if (!filter.name.empty()) return "jobs_name";
  if (!filter.user.empty()) return "jobs_user";
  if (!filter.states.empty()) return "jobs_state";
  return nullptr;
}

std::string Bind(ListQuery& query, SqlValue value) {
  query.values.push_back(std::move(value));
  return fmt::format("?{}", query.values.size());
}

// What the members other than states and paging ask, as one condition with a bound of the ids.
std::string Condition(ListQuery& query, const JobFilter& filter, std::optional<JobId> before) {
  std::string where = "id < " + Bind(query, before.value_or(std::numeric_limits<JobId>::max()));
  if (!filter.name.empty()) where += " AND name = " + Bind(query, filter.name);
  // The first term tells SQLite that the index, which leaves out jobs without a group, will do.
  if (!filter.group.empty()) where += " AND grp <> '' AND grp = " + Bind(query, filter.group);
  if (!filter.user.empty()) where += " AND user = " + Bind(query, filter.user);
  if (!filter.label.first.empty()) {
    // Labels have no index: this reads the spec of every job that fits otherwise.
    const std::string label_name = Bind(query, filter.label.first);
    const std::string label_value = Bind(query, filter.label.second);
    where += fmt::format(
        " AND EXISTS (SELECT 1 FROM specs, json_each(doc, '$.labels') AS label WHERE "
        "job_id = jobs.id AND label.key = {} AND label.value = {})",
        label_name, label_value);
  }
  if (filter.text.empty()) return where;
  // LIKE with the wildcards of the text itself taken literally; SQLite computes the pattern once.
  const std::string text = Bind(query, filter.text);
  const std::string pattern = fmt::format(
      "'%' || replace(replace(replace({}, '\\', '\\\\'), '%', '\\%'), '_', '\\_') || '%'", text);
  std::string any = fmt::format("id = CAST({} AS INTEGER)", text);
  for (const char* column : {"name", "user", "grp", "framework"})
    any += fmt::format(" OR {} LIKE {} ESCAPE '\\'", column, pattern);
  return fmt::format("{} AND ({})", where, any);
}

const char* SortColumn(JobSort sort) {
  switch (sort) {
    case JobSort::kId:
      return "id";
    case JobSort::kName:
      return "name COLLATE NOCASE";
    case JobSort::kState:
      return "state";
    case JobSort::kFramework:
      return "framework";
    case JobSort::kUser:
      return "user COLLATE NOCASE";
    case JobSort::kPriority:
      return "priority";
    case JobSort::kDuration:
      return "CASE WHEN started_ms = 0 THEN -1 WHEN ended_ms > 0 THEN ended_ms - started_ms"
             " ELSE CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) - started_ms END";
  }
  return "id";
}

bool NeedsScan(const JobFilter& filter) {
  return !filter.text.empty() || filter.sort != JobSort::kId || filter.ascending ||
         filter.offset > 0;
}

ListQuery MakeScanQuery(const JobFilter& filter) {
  ListQuery query;
  const std::string where = Condition(query, filter, filter.before);
  std::string states;
  for (const State state : filter.states)
    states += (states.empty() ? "" : ", ") + Bind(query, Name(state));
  const char* direction = filter.ascending ? "ASC" : "DESC";
  const std::string limit = Bind(query, int64_t{std::max(filter.limit, 0)});
  const std::string offset = Bind(query, std::max<int64_t>(filter.offset, 0));
  // The inner query sorts short rows: whole ones would be copied through the sorter.
  const std::string order =
      fmt::format("{} {}, id {}", SortColumn(filter.sort), direction, direction);
  query.sql = fmt::format(
      "SELECT {} FROM jobs WHERE id IN (SELECT id FROM jobs WHERE {}{} ORDER BY {} LIMIT {} OFFSET "
      "{})"
      " ORDER BY {}",
      kJobRowColumns, where, states.empty() ? "" : fmt::format(" AND state IN ({})", states), order,
      limit, offset, order);
  return query;
}

}  // namespace

ListQuery MakeCountQuery(const JobFilter& filter) {
  ListQuery query;
  const std::string where = Condition(query, filter, std::nullopt);
  query.sql = fmt::format("SELECT state, count(*) FROM jobs WHERE {} GROUP BY state", where);
  return query;
}

ListQuery MakeListQuery(const JobFilter& filter) {
  if (NeedsScan(filter)) return MakeScanQuery(filter);
  ListQuery query;
  const auto bind = [&query](SqlValue value) { return Bind(query, std::move(value)); };
  const std::string limit = bind(int64_t{std::max(filter.limit, 0)});
  const std::string where = Condition(query, filter, filter.before);
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
