#include "store/journal.h"

#include <fcntl.h>

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "store/journal_loss.h"
#include "store/journal_reads.h"
#include "store/journal_writer.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace muster::store {
namespace {

class SqliteJournal final : public Journal {
 public:
  SqliteJournal(Database write, Database read, WriterParts parts, std::vector<JobId> lost)
      : lost_(std::move(lost)),
        writer_(std::move(write), std::move(parts)),
        reads_(std::move(read)) {}

  void Write(std::vector<Op> batch, Sync sync, std::function<void(Status)> done) override {
    writer_.Write(std::move(batch), sync, std::move(done));
  }
  void Flush() override { writer_.Flush(); }
  std::vector<JobId> LostJobs() const override { return lost_; }

  Result<std::optional<Job>> FindJob(JobId id) override { return reads_.FindJob(id); }
  Result<std::optional<KeyUse>> FindKey(const std::string& key) override {
    return reads_.FindKey(key);
  }
  Result<std::vector<JobRow>> ListJobs(const JobFilter& filter) override {
    return reads_.ListJobs(filter);
  }
  Result<std::map<State, int64_t>> CountJobs(const JobFilter& filter) override {
    return reads_.CountJobs(filter);
  }
  Result<std::vector<Job>> UnfinishedJobs() override { return reads_.UnfinishedJobs(); }
  Result<std::vector<EventRow>> Events(std::optional<JobId> job, int64_t after_seq,
                                       int limit) override {
    return reads_.Events(job, after_seq, limit);
  }
  Result<int64_t> LastEventSeq() override { return reads_.LastEventSeq(); }
  Result<bool> UsesCode(const std::string& hash) override { return reads_.UsesCode(hash); }
  Result<JobId> NextJobId() override { return reads_.NextJobId(); }

 private:
  const std::vector<JobId> lost_;
  JournalWriter writer_;
  JournalReads reads_;  // closed first, so that the writer's close removes the WAL
};

os::Path LogOf(const os::Path& file) { return file.string() + "-wal"; }
os::Path MarkOf(const os::Path& file) { return os::Path(file).replace_extension(".mark"); }

bool IsEmpty(const os::Path& file) { return os::FileSize(file).value_or(0) == 0; }

// SQLite takes an empty file for a new database and removes the log beside it, with all that is in
// it. So such a loss must be found before the file is opened.
Status CheckNotEmptied(const os::Path& file, const JournalOptions& options) {
  if (!IsEmpty(file)) return {};
  const JournalLoss loss = FindLoss({}, MarkOf(file), options.jobs);
  if (!loss.any() && IsEmpty(LogOf(file))) return {};
  if (!options.accept_loss) return std::unexpected(LossError(loss, file));
  if (IsEmpty(LogOf(file))) return {};
  const os::Path aside = LogOf(file).string() + ".lost-" + os::RandomHex(4);
  LogWarning("{} does not belong to the empty journal; it is kept as {}", LogOf(file).string(),
             aside.string());
  std::error_code error;
  std::filesystem::rename(LogOf(file), aside, error);
  if (error) return FailErrno(error.value(), "set aside " + LogOf(file).string());
  return {};
}

// The jobs that were lost; numbers of theirs are not given again.
Result<std::vector<JobId>> CheckComplete(Database& db, const os::Path& file,
                                         const JournalOptions& options) {
  MUSTER_ASSIGN(const HighWater known, HighWaterOf(db));
  const JournalLoss loss = FindLoss(known, MarkOf(file), options.jobs);
  if (!loss.any()) return std::vector<JobId>();
  const Error error = LossError(loss, file);
  if (!options.accept_loss) return std::unexpected(error);
  LogWarning("{}; this is accepted", error.text);
  MUSTER_TRY(RaiseTo(db, loss.above()));
  return loss.folders;
}

// Specs contain environments, so only the owner may read the file; SQLite gives -wal the same mode.
Status MakeFileIfMissing(const os::Path& file) {
  const auto made = os::Open(file, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (made) return os::SyncDir(file.has_parent_path() ? file.parent_path() : ".");
  if (made.error().sys == EEXIST) return {};
  return std::unexpected(made.error());
}

Status UseWal(Database& db) {
  MUSTER_ASSIGN(Statement mode, db.Query("PRAGMA journal_mode = WAL"));
  MUSTER_ASSIGN(const bool row, mode.Step());
  if (row && mode.Text(0) == "wal") return {};
  return Fail(
      Code::kIo,
      fmt::format("cannot open {}: its file system has no shared memory for files", db.file()),
      "put the data folder on a local disk");
}

// Settings of each connection. FULL: a commit is on disk when it returns.
Status Configure(Database& db) {
  return db.Script(
      "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 5000;"
      "PRAGMA journal_size_limit = 16777216; PRAGMA temp_store = MEMORY;");
}

}  // namespace

Result<std::unique_ptr<Journal>> Journal::Open(const os::Path& file, JournalOptions options) {
  MUSTER_TRY(CheckNotEmptied(file, options));
  MUSTER_TRY(MakeFileIfMissing(file));
  MUSTER_ASSIGN(Database write, Database::Open(file));
  // A log that is damaged in its middle ends there for SQLite. Its rest stays for a repair.
  write.KeepLogOnClose(true);
  MUSTER_TRY(Configure(write));
  MUSTER_TRY(BringUpToDate(write));
  MUSTER_TRY(UseWal(write));
  MUSTER_TRY(CheckTables(write));
  MUSTER_ASSIGN(std::vector<JobId> lost, CheckComplete(write, file, options));
  write.KeepLogOnClose(false);
  WriterParts parts{std::move(options.guard), LogOf(file), std::nullopt};
  MUSTER_ASSIGN(const os::FileIdentity identity, os::IdentityOf(file));
  parts.guard.Add(file, identity);
  MUSTER_ASSIGN(parts.mark, HighWaterMark::Open(MarkOf(file)));
  MUSTER_ASSIGN(Database read, Database::Open(file));
  MUSTER_TRY(Configure(read));
  MUSTER_TRY(read.Script("PRAGMA query_only = ON"));
  return std::make_unique<SqliteJournal>(std::move(write), std::move(read), std::move(parts),
                                         std::move(lost));
}

}  // namespace muster::store
