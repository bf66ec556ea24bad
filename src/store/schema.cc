#include "store/schema.h"

#include <array>

#include <fmt/format.h>

namespace muster::store {
namespace {

// The rows of jobs are small, because they are rewritten at every step; documents are separate.
// AUTOINCREMENT prevents the reuse of ids. Every index ends in the row id, which is the job id, so
// that lists need no sorting.
constexpr char kFirst[] = R"sql(
CREATE TABLE jobs (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  name         TEXT    NOT NULL,
  state        TEXT    NOT NULL,
  unfinished   INTEGER NOT NULL,
  framework    TEXT    NOT NULL,
  grp          TEXT    NOT NULL,
  user         TEXT    NOT NULL,
  key          TEXT    NOT NULL,
  priority     INTEGER NOT NULL,
  nodes        INTEGER NOT NULL,
  ranks        INTEGER NOT NULL,
  devices      TEXT    NOT NULL,
  attempts     INTEGER NOT NULL,
  created_ms   INTEGER NOT NULL,
  started_ms   INTEGER NOT NULL,
  ended_ms     INTEGER NOT NULL,
  reason       TEXT    NOT NULL,
  used_retries INTEGER NOT NULL
) STRICT;
CREATE INDEX jobs_unfinished ON jobs(id) WHERE unfinished = 1;
CREATE INDEX jobs_state ON jobs(state);
CREATE INDEX jobs_name ON jobs(name, state);
CREATE INDEX jobs_user ON jobs(user, state);
CREATE INDEX jobs_group ON jobs(grp, state) WHERE grp <> '';
CREATE INDEX jobs_key ON jobs(key) WHERE key <> '';

CREATE TABLE specs (
  job_id INTEGER PRIMARY KEY REFERENCES jobs(id) ON DELETE CASCADE,
  doc    TEXT NOT NULL
) STRICT;

CREATE TABLE attempts (
  job_id INTEGER NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  token  TEXT    NOT NULL,
  doc    TEXT    NOT NULL,
  PRIMARY KEY (job_id, number)
) STRICT;

CREATE TABLE events (
  seq     INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id  INTEGER NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
  wall_ms INTEGER NOT NULL,
  kind    TEXT    NOT NULL,
  data    TEXT    NOT NULL
) STRICT;
CREATE INDEX events_job ON events(job_id);
)sql";

// Whether a code snapshot is in use is queried at every removal of a job.
constexpr char kCodeIndex[] = R"sql(
CREATE INDEX specs_code ON specs(CASE WHEN json_valid(doc) THEN doc ->> '$.muster.code_hash' END);
)sql";

constexpr std::array kMigrations = {Migration{1, kFirst}, Migration{2, kCodeIndex}};

// The schema version of the file; 0 without tables.
Result<int64_t> VersionOf(Database& db) {
  MUSTER_ASSIGN(const int64_t version, db.Number("PRAGMA user_version"));
  MUSTER_ASSIGN(const int64_t application, db.Number("PRAGMA application_id"));
  MUSTER_ASSIGN(const int64_t things, db.Number("SELECT count(*) FROM sqlite_schema"));
  if (application == kApplicationId) return version;
  if (application == 0 && version == 0 && things == 0) return 0;
  return Fail(
      Code::kInvalid,
      fmt::format("cannot open {}: it is a SQLite file, but not a journal of Muster", db.file()),
      "give another data folder, or move that file away");
}

Status ApplyOne(Database& db, const Migration& migration) {
  MUSTER_TRY(db.Run("BEGIN IMMEDIATE"));
  Status status = db.Script(migration.sql);
  if (status)
    status = db.Script(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};",
                                   kApplicationId, migration.version));
  if (status) status = db.Run("COMMIT");
  if (status) return {};
  if (db.InTransaction()) (void)db.Run("ROLLBACK");
  Error error = std::move(status).error();
  error.text += fmt::format(" (going to schema version {})", migration.version);
  return std::unexpected(std::move(error));
}

}  // namespace

std::span<const Migration> Migrations() { return kMigrations; }

Status BringUpToDate(Database& db, std::span<const Migration> migrations) {
  MUSTER_ASSIGN(const int64_t version, VersionOf(db));
  const int ours = migrations.back().version;
  if (version > ours)
    return Fail(Code::kConflict,
                fmt::format("cannot open {}: its schema is version {}, this program knows up to {}",
                            db.file(), version, ours),
                "run the newer muster that wrote it");
  for (const Migration& migration : migrations)
    if (migration.version > version) MUSTER_TRY(ApplyOne(db, migration));
  return {};
}

Status CheckTables(Database& db) {
  for (const char* table : {"jobs", "specs", "attempts", "events"}) {
    const auto last = db.Number(fmt::format("SELECT max(rowid) FROM {}", table));
    if (last) continue;
    Error error = last.error();
    error.text += fmt::format(" (table {})", table);
    return std::unexpected(std::move(error));
  }
  return {};
}

}  // namespace muster::store
