#include "store/journal_writer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "store/journal_ops.h"

namespace muster::store {
namespace {

// Keeps one transaction, and with it the wait of its first batch, from growing without limit.
constexpr size_t kMaxGroup = 1024;
constexpr int kPagesToCheckpoint = 1000;  // 4 MB; the log is moved into the main file from here on
// What kSoon waits for others. A sync takes a few milliseconds, in which nothing else is committed.
constexpr int64_t kLongestPatienceMs = 10;

// Whether this failure is about the file and not about the batch that met it.
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

JournalWriter::JournalWriter(Database db) : db_(std::move(db)) {
  db_.TakeOverCheckpoints();
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
    group.clear();  // what the callbacks hold goes before Flush returns
    {
      MutexLock lock(mutex_);
      told_ += count;
      finished_.NotifyAll();
    }
    CheckpointIfDue();
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
  Status outcome = ChooseSync(group);
  if (outcome) outcome = db_.Run("BEGIN IMMEDIATE");
  if (outcome) outcome = ApplyGroup(group);
  if (outcome) outcome = db_.Run("COMMIT");
  if (outcome) {
    ++commits_;
    syncs_ += mode_ == Sync::kNow;
    return;
  }
  if (db_.InTransaction()) (void)db_.Run("ROLLBACK");
  LogError("{} batch(es) of the journal were not written: {}", group.size(), outcome.error().text);
  for (Pending& pending : group)
    if (pending.status) pending.status = outcome;
}

// With a log, "normal" writes a commit and leaves its sync to the next one that is "full".
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
  MUSTER_TRY(db_.Run("SAVEPOINT batch"));
  pending.status = ApplyBatch(db_, pending.batch);
  if (!pending.status) {
    if (StopsGroup(db_, pending.status.error())) return pending.status;
    MUSTER_TRY(db_.Run("ROLLBACK TO batch"));
  }
  return db_.Run("RELEASE batch");
}

// After everybody was told: nobody waits for this. A failure is harmless, for the log still has it
// all. A program that never ends its reading must not hold up every commit, so the next waiting try
// comes only when the log has grown as much again.
void JournalWriter::CheckpointIfDue() {
  const int pages = db_.WalPages();
  if (pages < kPagesToCheckpoint) return;
  const bool wait = pages >= truncate_at_;
  const Status status =
      db_.RunCheckpoint(wait ? Database::Checkpoint::kTruncate : Database::Checkpoint::kPassive);
  if (!status) LogWarning("the journal's log has {} pages: {}", pages, status.error().text);
  if (wait) truncate_at_ = status ? kPagesToTruncate : pages + kPagesToTruncate;
}

}  // namespace muster::store
