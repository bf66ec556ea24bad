#include "store/journal_writer.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/log.h"
#include "os/reserve.h"
#include "store/journal_loss.h"
#include "store/journal_ops.h"

namespace muster::store {
namespace {

// Limits a transaction, and thereby the wait of its first batch.
constexpr size_t kMaxGroup = 1024;
constexpr int kPagesToCheckpoint = 1000;  // 4 MB; above it the WAL is checkpointed
// The longest delay of kSoon. A sync takes a few milliseconds, during which nothing else is
// committed.
constexpr int64_t kLongestPatienceMs = 10;
constexpr int kReservedPages = 1024;  // 4 MiB of the log
constexpr int kPageBytes = 4096 + 24;

// Whether the failure concerns the file rather than the batch.
bool StopsGroup(const Database& db, const Error& error) {
  switch (error.code) {
    case Code::kNoSpace:
    case Code::kIo:
    case Code::kCorrupt:
    case Code::kUnavailable:
      return true;
    default:
      return !db.InTransaction();
  }
}

}  // namespace

JournalWriter::JournalWriter(Database db, WriterParts parts)
    : db_(std::move(db)), parts_(std::move(parts)) {
  db_.TakeOverCheckpoints();
  if (const auto known = HighWaterOf(db_)) last_job_ = known->job;
  thread_ = std::jthread([this] { Work(); });
}

JournalWriter::~JournalWriter() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    wake_.NotifyOne();
  }
  thread_.join();
}

void JournalWriter::Write(std::vector<Op> batch, Sync sync, std::function<void(Status)> done) {
  MutexLock lock(mutex_);
  Pending pending{std::move(batch), sync, std::move(done), {}};
  ++queued_;
  if (sync != Sync::kSoon) {
    urgent_ |= sync == Sync::kNow;
    queue_.push_back(std::move(pending));
    wake_.NotifyOne();
    return;
  }
  patient_.push_back(std::move(pending));
  if (patient_.size() > 1) return;  // the thread knows when the first of them is due
  patient_since_ms_ = SystemClock().SteadyMs();
  wake_.NotifyOne();
}

void JournalWriter::Flush() {
  MutexLock lock(mutex_);
  const uint64_t target = queued_;
  urgent_ = true;
  wake_.NotifyOne();
  while (told_ < target) finished_.Wait(lock);
}

void JournalWriter::Work() {
  while (true) {
    std::vector<Pending> group = Take();
    if (group.empty()) return;
    CommitGroup(group);
    const size_t count = group.size();
    for (Pending& pending : group)
      if (pending.done) pending.done(std::move(pending.status));
    group.clear();  // objects held by callbacks are destroyed before Flush returns
    {
      MutexLock lock(mutex_);
      told_ += count;
      finished_.NotifyAll();
    }
    CheckpointIfDue();
    ReserveLog();
    if (parts_.mark) parts_.mark->SyncIfDue(SystemClock().SteadyMs());
  }
}

int64_t JournalWriter::PatienceMs() const {
  if (urgent_ || stopping_ || patient_.size() >= kMaxGroup) return 0;
  const int64_t waited = SystemClock().SteadyMs() - patient_since_ms_;
  return std::max<int64_t>(kLongestPatienceMs - waited, 0);
}

std::vector<JournalWriter::Pending> JournalWriter::Take() {
  MutexLock lock(mutex_);
  while (queue_.empty() && !stopping_) {
    if (patient_.empty()) {
      wake_.Wait(lock);
    } else if (const int64_t ms = PatienceMs(); ms > 0) {
      wake_.WaitFor(lock, ms);
    } else {
      break;
    }
  }
  if (PatienceMs() == 0) {
    std::ranges::move(patient_, std::back_inserter(queue_));
    patient_.clear();
    urgent_ = false;
  }
  if (queue_.size() <= kMaxGroup) return std::exchange(queue_, {});
  const auto end = queue_.begin() + kMaxGroup;
  std::vector<Pending> group(std::move_iterator(queue_.begin()), std::move_iterator(end));
  queue_.erase(queue_.begin(), end);
  return group;
}

void JournalWriter::CommitGroup(std::span<Pending> group) {
  const Status outcome = Commit(group);
  if (outcome) {
    ++commits_;
    syncs_ += mode_ == Sync::kNow;
    if (mode_ == Sync::kNow) WriteMark();
    return;
  }
  if (db_.InTransaction()) (void)db_.Run("ROLLBACK");
  if (rare_.IsDue("write", SystemClock().SteadyMs()))
    LogError("the journal cannot be written, trying again: {}", outcome.error().text);
  for (Pending& pending : group)
    if (pending.status) pending.status = outcome;
}

// The files are looked at before, so that nothing is written in vain, and after, so that nothing is
// acknowledged that was written into a file which has no name any more.
Status JournalWriter::Commit(std::span<Pending> group) {
  MUSTER_TRY(parts_.guard.Check());
  if (!has_reserve_) ReserveLog();
  MUSTER_TRY(ChooseSync(group));
  MUSTER_TRY(db_.Run("BEGIN IMMEDIATE"));
  MUSTER_TRY(ApplyGroup(group));
  MUSTER_TRY(db_.Run("COMMIT"));
  TakeLog();
  return parts_.guard.Check();
}

// SQLite makes the log with the first commit and keeps it as long as the database is open.
void JournalWriter::TakeLog() {
  if (log_ || parts_.log.empty()) return;
  auto log = os::Open(parts_.log, O_WRONLY);
  if (!log) return;
  log_ = std::move(*log);
  if (const auto identity = os::IdentityOf(log_.get())) parts_.guard.Add(parts_.log, *identity);
}

// Ends of jobs are journaled on a full disk too: the log's next pages have their blocks already.
void JournalWriter::ReserveLog() {
  const int pages = db_.WalPages();
  const bool enough = !log_ || pages + kReservedPages / 2 < reserved_pages_;
  has_reserve_ |= enough;
  if (enough) return;
  const int error = os::ReserveBehind(log_.get(), int64_t(kReservedPages) * kPageBytes);
  if (error == 0) reserved_pages_ = pages + kReservedPages;
  has_reserve_ = error != ENOSPC && error != EDQUOT;
}

// New jobs must not take the room that is kept for the ends of the others.
bool JournalWriter::MustWaitForRoom(const Pending& pending) const {
  return !has_reserve_ && std::ranges::any_of(pending.batch, [this](const Op& op) {
    const auto* put = std::get_if<PutJob>(&op);
    return put != nullptr && put->job.id > last_job_;
  });
}

// A mark that cannot be written only notices less.
void JournalWriter::WriteMark() {
  if (!parts_.mark) return;
  const auto known = HighWaterOf(db_);
  if (known) last_job_ = known->job;
  const Status status = known ? parts_.mark->Write(*known) : Status(std::unexpected(known.error()));
  if (!status && rare_.IsDue("mark", SystemClock().SteadyMs()))
    LogWarning("{}: a loss of the journal would not be noticed", status.error().text);
}

// In WAL mode, "normal" commits without a sync and leaves the sync to the next "full" commit.
Status JournalWriter::ChooseSync(std::span<const Pending> group) {
  const bool lazy =
      std::ranges::all_of(group, [](const Pending& p) { return p.sync == Sync::kLazy; });
  const Sync wanted = lazy ? Sync::kLazy : Sync::kNow;
  if (wanted == mode_) return {};
  MUSTER_TRY(db_.Run(lazy ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL"));
  mode_ = wanted;
  return {};
}

Status JournalWriter::ApplyGroup(std::span<Pending> group) {
  for (Pending& pending : group) MUSTER_TRY(ApplyAlone(pending));
  return {};
}

Status JournalWriter::ApplyAlone(Pending& pending) {
  if (MustWaitForRoom(pending)) {
    pending.status =
        Fail(Code::kNoSpace, fmt::format("cannot add a job to {}: the disk is full", db_.file()),
             "free space on that disk, for example with muster rm");
    return {};
  }
  MUSTER_TRY(db_.Run("SAVEPOINT batch"));
  pending.status = ApplyBatch(db_, pending.batch);
  if (!pending.status) {
    if (StopsGroup(db_, pending.status.error())) return pending.status;
    MUSTER_TRY(db_.Run("ROLLBACK TO batch"));
  }
  return db_.Run("RELEASE batch");
}

// Runs after all callbacks, because no caller waits for it. A failure is harmless: the WAL still
// contains everything. A reader that never ends must not delay every commit, so the next blocking
// attempt follows only after the WAL has grown by the same amount.
void JournalWriter::CheckpointIfDue() {
  const int pages = db_.WalPages();
  if (pages < kPagesToCheckpoint) return;
  const bool wait = pages >= truncate_at_;
  const Status status =
      db_.RunCheckpoint(wait ? Database::Checkpoint::kTruncate : Database::Checkpoint::kPassive);
  if (!status && rare_.IsDue("checkpoint", SystemClock().SteadyMs()))
    LogWarning("the journal's log has {} pages: {}", pages, status.error().text);
  if (wait && status) reserved_pages_ = 0;  // they went with the log's end
  if (wait) truncate_at_ = status ? kPagesToTruncate : pages + kPagesToTruncate;
}

}  // namespace muster::store
