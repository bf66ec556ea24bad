#include "store/journal_reads.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "model/spec_reader.h"
#include "store/list_query.h"

namespace muster::store {
namespace {

constexpr char kJobSelect[] =
    "SELECT id, state, grp, key, user, created_ms, ended_ms, reason, used_retries, doc"
    " FROM jobs JOIN specs ON specs.job_id = jobs.id";

// Several statements on one snapshot of the journal.
class Snapshot {
 public:
  static Result<Snapshot> Begin(Database& db) {
    MUSTER_TRY(db.Run("BEGIN"));
    return Snapshot(db);
  }
  Snapshot(Snapshot&& other) noexcept : db_(std::exchange(other.db_, nullptr)) {}
  ~Snapshot() {
    if (db_ != nullptr && db_->InTransaction()) (void)db_->Run("COMMIT");
  }

 private:
  explicit Snapshot(Database& db) : db_(&db) {}
  Database* db_;
};

std::unexpected<Error> Damaged(const Database& db, JobId job, std::string_view what) {
  return Fail(Code::kCorrupt, fmt::format("cannot read job {} in {}: {}", job, db.file(), what),
              "restore the file from a copy");
}

Result<json::object> ObjectFrom(const Database& db, JobId job, const std::string& text) {
  auto value = ParseJson(text);
  if (!value) return Damaged(db, job, value.error().text);
  if (!value->is_object()) return Damaged(db, job, "a document is not a JSON object");
  return std::move(value->get_object());
}

Result<State> StateFrom(const Database& db, JobId job, const std::string& name) {
  const auto state = StateFromName(name);
  if (!state) return Damaged(db, job, fmt::format("there is no state \"{}\"", name));
  return *state;
}

Result<JobSpec> SpecFrom(const Database& db, JobId job, const std::string& text) {
  MUSTER_ASSIGN(json::object object, ObjectFrom(db, job, text));
  auto specs = ReadSpecs(object, Marks{});
  if (!specs) return Damaged(db, job, FaultText(specs.error(), "its spec"));
  if (specs->size() != 1) return Damaged(db, job, "its spec stands for several jobs");
  return std::move(specs->front());
}

// The job in the current row of kJobSelect, without attempts.
Result<Job> JobFrom(const Database& db, const Statement& row) {
  Job job;
  job.id = row.Int(0);
  MUSTER_ASSIGN(job.state, StateFrom(db, job.id, row.Text(1)));
  job.group = row.Text(2);
  job.key = row.Text(3);
  job.user = row.Text(4);
  job.created_ms = row.Int(5);
  job.ended_ms = row.Int(6);
  job.reason = row.Text(7);
  job.used_retries = int(row.Int(8));
  MUSTER_ASSIGN(job.spec, SpecFrom(db, job.id, row.Text(9)));
  return job;
}

Result<std::vector<Attempt>> AttemptsOf(Database& db, JobId job) {
  std::vector<Attempt> attempts;
  MUSTER_ASSIGN(Statement rows,
                db.Query("SELECT doc FROM attempts WHERE job_id = ?1 ORDER BY number", {job}));
  while (true) {
    MUSTER_ASSIGN(const bool row, rows.Step());
    if (!row) return attempts;
    MUSTER_ASSIGN(const json::object object, ObjectFrom(db, job, rows.Text(0)));
    attempts.push_back(AttemptFromJson(object));
  }
}

Result<std::vector<Job>> JobsWith(Database& db, const std::string& condition,
                                  std::initializer_list<SqlValue> values) {
  MUSTER_ASSIGN(const Snapshot snapshot, Snapshot::Begin(db));
  std::vector<Job> jobs;
  MUSTER_ASSIGN(Statement rows, db.Query(kJobSelect + condition, values));
  while (true) {
    MUSTER_ASSIGN(const bool row, rows.Step());
    if (!row) return jobs;
    MUSTER_ASSIGN(Job job, JobFrom(db, rows));
    MUSTER_ASSIGN(job.attempts, AttemptsOf(db, job.id));
    jobs.push_back(std::move(job));
  }
}

// The current row of a list with the columns of kJobRowColumns.
Result<JobRow> JobRowFrom(const Database& db, const Statement& row) {
  JobRow out;
  out.id = row.Int(0);
  out.name = row.Text(1);
  out.framework = row.Text(2);
  out.group = row.Text(3);
  out.user = row.Text(4);
  out.reason = row.Text(5);
  MUSTER_ASSIGN(out.state, StateFrom(db, out.id, row.Text(6)));
  out.nodes = int(row.Int(7));
  out.ranks = int(row.Int(8));
  out.devices = row.Text(9);
  out.priority = int(row.Int(10));
  out.created_ms = row.Int(11);
  out.started_ms = row.Int(12);
  out.ended_ms = row.Int(13);
  out.attempts = int(row.Int(14));
  return out;
}

}  // namespace

Result<std::optional<Job>> JournalReads::FindJob(JobId id) {
  MutexLock lock(mutex_);
  MUSTER_ASSIGN(std::vector<Job> jobs, JobsWith(db_, " WHERE id = ?1", {id}));
  if (jobs.empty()) return std::nullopt;
  return std::move(jobs.front());
}

Result<std::optional<KeyUse>> JournalReads::FindKey(const std::string& key) {
  MutexLock lock(mutex_);
  KeyUse use;
  MUSTER_ASSIGN(
      Statement rows,
      db_.Query("SELECT id, grp FROM jobs WHERE key = ?1 AND key <> '' ORDER BY id", {key}));
  while (true) {
    MUSTER_ASSIGN(const bool row, rows.Step());
    if (!row) break;
    use.jobs.push_back(rows.Int(0));
    use.group = rows.Text(1);
  }
  if (use.jobs.empty()) return std::nullopt;
  return use;
}

Result<std::vector<JobRow>> JournalReads::ListJobs(const JobFilter& filter) {
  MutexLock lock(mutex_);
  const ListQuery query = MakeListQuery(filter);
  std::vector<JobRow> jobs;
  MUSTER_ASSIGN(Statement rows, db_.Query(query.sql, query.values));
  while (true) {
    MUSTER_ASSIGN(const bool row, rows.Step());
    if (!row) return jobs;
    MUSTER_ASSIGN(JobRow job, JobRowFrom(db_, rows));
    jobs.push_back(std::move(job));
  }
}

Result<std::map<State, int64_t>> JournalReads::CountJobs(const JobFilter& filter) {
  MutexLock lock(mutex_);
  const ListQuery query = MakeCountQuery(filter);
  std::map<State, int64_t> counts;
  MUSTER_ASSIGN(Statement rows, db_.Query(query.sql, query.values));
  while (true) {
    MUSTER_ASSIGN(const bool row, rows.Step());
    if (!row) return counts;
    if (const auto state = StateFromName(rows.Text(0))) counts[*state] = rows.Int(1);
  }
}

Result<std::vector<Job>> JournalReads::UnfinishedJobs() {
  MutexLock lock(mutex_);
  return JobsWith(db_, " WHERE unfinished = 1 ORDER BY id", {});
}

Result<std::vector<EventRow>> JournalReads::Events(std::optional<JobId> job, int64_t after_seq,
                                                   int limit) {
  MutexLock lock(mutex_);
  const int64_t count = std::max(limit, 0);
  auto query = job ? db_.Query(
                         "SELECT seq, job_id, wall_ms, kind, data FROM events"
                         " WHERE job_id = ?3 AND seq > ?1 ORDER BY seq LIMIT ?2",
                         {after_seq, count, *job})
                   : db_.Query(
                         "SELECT seq, job_id, wall_ms, kind, data FROM events"
                         " WHERE seq > ?1 ORDER BY seq LIMIT ?2",
                         {after_seq, count});
  MUSTER_ASSIGN(Statement rows, std::move(query));
  std::vector<EventRow> events;
  while (true) {
    MUSTER_ASSIGN(const bool row, rows.Step());
    if (!row) return events;
    EventRow event{rows.Int(0), rows.Int(1), rows.Int(2), rows.Text(3), {}};
    MUSTER_ASSIGN(event.data, ObjectFrom(db_, event.job, rows.Text(4)));
    events.push_back(std::move(event));
  }
}

Result<int64_t> JournalReads::LastEventSeq() {
  MutexLock lock(mutex_);
  return db_.Number("SELECT seq FROM sqlite_sequence WHERE name = 'events'");
}

Result<bool> JournalReads::UsesCode(const std::string& hash) {
  MutexLock lock(mutex_);
  // Repeats the condition of the index, so that SQLite uses it.
  MUSTER_ASSIGN(Statement query, db_.Query("SELECT 1 FROM specs WHERE CASE WHEN json_valid(doc)"
                                           " THEN doc ->> '$.muster.code_hash' END = ?1 LIMIT 1",
                                           {hash}));
  return query.Step();
}

Result<JobId> JournalReads::NextJobId() {
  MutexLock lock(mutex_);
  MUSTER_ASSIGN(const int64_t last,
                db_.Number("SELECT seq FROM sqlite_sequence WHERE name = 'jobs'"));
  return last + 1;
}

}  // namespace muster::store
