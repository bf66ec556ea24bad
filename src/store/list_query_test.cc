#include "store/list_query.h"

#include <fstream>
#include <utility>

#include <gmock/gmock.h>

#include "os/temp_dir.h"
#include "store/schema.h"

namespace muster::store {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// 100,000 jobs: two unfinished, a thousand names, one dominant user.
constexpr char kFill[] = R"sql(
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
INSERT INTO jobs SELECT i, 'job' || (i % 1000), CASE WHEN i > 99998 THEN 'running'
    WHEN i % 10 = 0 THEN 'failed' ELSE 'succeeded' END, i > 99998, 'pytorch',
    CASE WHEN i % 100 = 0 THEN 'g' || (i / 1000) ELSE '' END, 'ann', '', 0, 1, 8, 'npu:8', 1, i, i,
    i, '', 0 FROM n;
INSERT INTO specs SELECT id, '{}' FROM jobs;
INSERT INTO events(job_id, wall_ms, kind, data) SELECT id, 1, 'state', '{}' FROM jobs;
)sql";

class ListQueryTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new os::TempDir;
    std::ofstream(*folder_ / "journal.db").flush();
    Database db = Open();
    ASSERT_TRUE(BringUpToDate(db));
    ASSERT_TRUE(db.Script(std::string("BEGIN;") + kFill + "COMMIT; PRAGMA journal_mode = WAL;"));
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static Database Open() { return std::move(Database::Open(*folder_ / "journal.db").value()); }

  static std::string Plan(const std::string& sql, std::span<const SqlValue> values) {
    Database db = Open();
    auto rows = db.Query("EXPLAIN QUERY PLAN " + sql, values);
    if (!rows) return rows.error().text;
    std::string plan;
    while (rows->Step().value()) plan += rows->Text(3) + "\n";
    return plan;
  }
  static std::string Plan(const JobFilter& filter) {
    const ListQuery query = MakeListQuery(filter);
    return Plan(query.sql, query.values);
  }

  static os::TempDir* folder_;
};
os::TempDir* ListQueryTest::folder_ = nullptr;

// Rows come from an index in order: no full scan and no sort.
const auto kFlat =
    AllOf(HasSubstr("SEARCH"), Not(HasSubstr("SCAN")), Not(HasSubstr("TEMP B-TREE")));

TEST_F(ListQueryTest, EveryFilterUsesAnIndex) {
  const std::vector<State> some = {State::kFailed, State::kStopped};
  EXPECT_THAT(Plan(JobFilter{}), kFlat);
  EXPECT_THAT(Plan({.before = 500}), kFlat);
  EXPECT_THAT(Plan({.states = {State::kFailed}}), AllOf(kFlat, HasSubstr("jobs_state")));
  EXPECT_THAT(Plan({.states = some, .before = 500}), AllOf(kFlat, HasSubstr("jobs_state")));
  EXPECT_THAT(Plan({.name = "job7"}), AllOf(kFlat, HasSubstr("jobs_name")));
  EXPECT_THAT(Plan({.states = some, .name = "job7", .before = 5}),
              AllOf(kFlat, HasSubstr("jobs_name")));
  EXPECT_THAT(Plan({.group = "g1"}), AllOf(kFlat, HasSubstr("jobs_group")));
  EXPECT_THAT(Plan({.states = some, .group = "g1"}), AllOf(kFlat, HasSubstr("jobs_group")));
  EXPECT_THAT(Plan({.user = "ann"}), AllOf(kFlat, HasSubstr("jobs_user")));
  EXPECT_THAT(Plan({.states = some, .name = "a", .group = "b", .user = "c", .before = 9}), kFlat);
}

TEST_F(ListQueryTest, UnfinishedJobsKeysAndEventsUseAnIndex) {
  // The partial index contains exactly the unfinished jobs, so its scan is cheap.
  EXPECT_THAT(Plan("SELECT id FROM jobs JOIN specs ON specs.job_id = jobs.id"
                   " WHERE unfinished = 1 ORDER BY id",
                   {}),
              AllOf(HasSubstr("jobs_unfinished"), Not(HasSubstr("TEMP B-TREE"))));
  EXPECT_THAT(Plan("SELECT id, grp FROM jobs WHERE key = 'k' AND key <> '' ORDER BY id", {}),
              AllOf(kFlat, HasSubstr("jobs_key")));
  EXPECT_THAT(Plan("SELECT seq FROM events WHERE job_id = 5 AND seq > 7 ORDER BY seq LIMIT 10", {}),
              AllOf(kFlat, HasSubstr("events_job")));
}

TEST_F(ListQueryTest, HundredThousandJobsOpenAndListInPages) {
  const os::Path file = *folder_ / "journal.db";
  auto journal = Journal::Open(file);
  ASSERT_TRUE(journal) << journal.error().text;
  EXPECT_EQ((*journal)->NextJobId().value(), 100'001);
  const std::pair<JobFilter, size_t> pages[] = {
      {JobFilter{}, 100},
      {JobFilter{.before = 50'000}, 100},
      {JobFilter{.before = 5}, 4},
      {JobFilter{.states = {State::kFailed}}, 100},
      {JobFilter{.states = {State::kQueued, State::kRunning}}, 2},
      {JobFilter{.name = "job7", .limit = 1000}, 100},
      {JobFilter{.group = "g50"}, 10},
      {JobFilter{.user = "ann"}, 100},
      {JobFilter{.user = "nobody"}, 0},
      {JobFilter{.offset = 99'950}, 50},
      {JobFilter{.limit = 1000, .text = "JOB77"}, 1000},
      {JobFilter{.limit = 1000, .text = "job777"}, 100},
      {JobFilter{.text = "job%7"}, 0},
      {JobFilter{.states = {State::kRunning}, .text = "ann"}, 2},
  };
  for (const auto& [filter, count] : pages) {
    const auto page = (*journal)->ListJobs(filter);
    ASSERT_TRUE(page) << page.error().text;
    EXPECT_EQ(page->size(), count) << MakeListQuery(filter).sql;
  }
}

TEST_F(ListQueryTest, RowsAreSortedByAnyColumnInBothDirections) {
  auto journal = Journal::Open(*folder_ / "journal.db").value();
  const auto first = [&](JobFilter filter) { return journal->ListJobs(filter).value().at(0); };
  EXPECT_EQ(first({.ascending = true}).id, 1);
  EXPECT_EQ(first({.sort = JobSort::kName, .ascending = true}).name, "job0");
  EXPECT_EQ(first({.sort = JobSort::kName}).name, "job999");
  EXPECT_EQ(first({.sort = JobSort::kState}).state, State::kSucceeded);
  EXPECT_EQ(first({.sort = JobSort::kState, .ascending = true}).state, State::kFailed);
  for (const JobSort sort :
       {JobSort::kFramework, JobSort::kUser, JobSort::kPriority, JobSort::kDuration})
    EXPECT_EQ(first({.sort = sort, .offset = 99'999}).id, 1);
}

TEST_F(ListQueryTest, JobsAreCountedByState) {
  auto journal = Journal::Open(*folder_ / "journal.db").value();
  const std::map<State, int64_t> all = {
      {State::kRunning, 2}, {State::kFailed, 9'999}, {State::kSucceeded, 89'999}};
  EXPECT_EQ(journal->CountJobs({.states = {State::kFailed}, .limit = 5}).value(), all);
  EXPECT_EQ(journal->CountJobs({.text = "job777"}).value(),
            (std::map<State, int64_t>{{State::kSucceeded, 100}}));
}

}  // namespace
}  // namespace muster::store
