#include "store/journal_ops.h"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::store {
namespace {

// Ids are sent as JSON numbers, which are exact up to this value.
constexpr JobId kMaxJobId = (JobId{1} << 53) - 1;

// "npu:8", or "cpu:2,npu:8" for roles with different demands.
std::string DevicesText(const JobSpec& spec) {
  std::vector<std::string> parts;
  for (const Role& role : spec.roles) {
    std::string part = fmt::format("{}:{}", role.devices.kind, role.devices.count);
    if (std::ranges::find(parts, part) == parts.end()) parts.push_back(std::move(part));
  }
  return Join(parts, ",");
}

// SQLite reports a broken reference without its name; the batch knows the job.
Status NameJob(Status status, JobId job, std::string_view what) {
  if (status || status.error().code != Code::kNotFound) return status;
  return Fail(Code::kNotFound,
              fmt::format("cannot add {} of job {}: there is no such job", what, job));
}

class BatchApplier {
 public:
  explicit BatchApplier(Database& db) : db_(db) {}

  Status operator()(const PutJob& op) {
    const Job& job = op.job;
    MUSTER_TRY(
        db_.Run("UPDATE jobs SET state = ?2, unfinished = ?3, grp = ?4, user = ?5,"
                " created_ms = ?6, ended_ms = ?7, reason = ?8, used_retries = ?9 WHERE id = ?1",
                {job.id, Name(job.state), !IsTerminal(job.state), job.group, job.user,
                 job.created_ms, job.ended_ms, job.reason, job.used_retries}));
    if (db_.Changes() > 0) return {};
    return Insert(job);
  }

  Status operator()(const PutSpec& op) {
    MUSTER_TRY(db_.Run("UPDATE specs SET doc = ?2 WHERE job_id = ?1",
                       {op.job, ToJson(ToJsonObject(op.spec))}));
    if (db_.Changes() == 0)
      return Fail(Code::kNotFound,
                  fmt::format("cannot change the spec of job {}: there is no such job", op.job));
    return db_.Run("UPDATE jobs SET priority = ?2 WHERE id = ?1", {op.job, op.spec.priority});
  }

  Status operator()(const PutAttempt& op) {
    const Attempt& attempt = op.attempt;
    MUSTER_TRY(
        NameJob(db_.Run("INSERT INTO attempts(job_id, number, token, doc)"
                        " VALUES(?1, ?2, ?3, ?4) ON CONFLICT(job_id, number)"
                        " DO UPDATE SET token = excluded.token, doc = excluded.doc",
                        {op.job, attempt.number, attempt.token, ToJson(ToJsonObject(attempt))}),
                op.job, fmt::format("attempt {}", attempt.number)));
    // The list shows the last attempt without reading documents.
    return db_.Run(
        "UPDATE jobs SET attempts = ?2, started_ms = ?3 WHERE id = ?1 AND attempts <= ?2"
        " AND (attempts <> ?2 OR started_ms <> ?3)",
        {op.job, attempt.number, attempt.started_ms});
  }

  Status operator()(const AddEvent& op) {
    return NameJob(db_.Run("INSERT INTO events(job_id, wall_ms, kind, data) VALUES(?1, ?2, ?3, ?4)",
                           {op.job, op.wall_ms, op.kind, ToJson(op.data)}),
                   op.job, "an event");
  }

  Status operator()(const DropJob& op) {
    return db_.Run("DELETE FROM jobs WHERE id = ?1", {op.job});
  }

 private:
  Status Insert(const Job& job) {
    if (job.id < 1 || job.id > kMaxJobId)
      return Fail(Code::kInvalid, fmt::format("cannot store a job under the id {}", job.id));
    if (!job.key.empty()) MUSTER_TRY(ClaimKey(job));
    const JobSpec& spec = job.spec;
    MUSTER_TRY(
        db_.Run("INSERT INTO jobs(id, name, state, unfinished, framework, grp, user, key,"
                " priority, nodes, ranks, devices, attempts, created_ms, started_ms, ended_ms,"
                " reason, used_retries)"
                " VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,0,?13,0,?14,?15,?16)",
                {job.id, spec.name, Name(job.state), !IsTerminal(job.state), spec.framework,
                 job.group, job.user, job.key, spec.priority, spec.TotalNodes(), spec.TotalRanks(),
                 DevicesText(spec), job.created_ms, job.ended_ms, job.reason, job.used_retries}));
    return db_.Run("INSERT INTO specs(job_id, doc) VALUES(?1, ?2)",
                   {job.id, ToJson(ToJsonObject(spec))});
  }

  // A key belongs to one submit, which is one batch; the jobs of a sweep share it.
  Status ClaimKey(const Job& job) {
    if (keys_.contains(job.key)) return {};
    MUSTER_ASSIGN(Statement earlier,
                  db_.Query("SELECT id FROM jobs WHERE key = ?1 AND key <> '' LIMIT 1", {job.key}));
    MUSTER_ASSIGN(const bool used, earlier.Step());
    if (used)
      return Fail(Code::kExists,
                  fmt::format("cannot submit job {}: its idempotency key made job {}", job.id,
                              earlier.Int(0)));
    keys_.insert(job.key);
    return {};
  }

  Database& db_;
  std::set<std::string> keys_;  // new in this batch
};

}  // namespace

Status ApplyBatch(Database& db, const std::vector<Op>& batch) {
  BatchApplier applier(db);
  for (const Op& op : batch) MUSTER_TRY(std::visit(applier, op));
  return {};
}

}  // namespace muster::store
