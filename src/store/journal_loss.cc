#include "store/journal_loss.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"

namespace muster::store {
namespace {

std::vector<JobId> FoldersAbove(const os::Path& jobs, JobId last) {
  std::vector<JobId> ids;
  if (jobs.empty()) return ids;
  std::error_code error;
  for (std::filesystem::directory_iterator it(jobs, error), end; !error && it != end;
       it.increment(error)) {
    const auto id = ParseInt(it->path().filename().string());
    if (id && *id > last) ids.push_back(*id);
  }
  std::ranges::sort(ids);
  return ids;
}

// "4, 5 and 7", "4 to 17 (12)"
std::string Range(const std::vector<JobId>& ids) {
  if (ids.size() == 1) return fmt::format("{}", ids.front());
  return fmt::format("{} to {}", ids.front(), ids.back());
}

}  // namespace

HighWater JournalLoss::above() const {
  HighWater above = marked;
  above.job = std::max(above.job, known.job);
  above.event = std::max(above.event, known.event);
  if (!folders.empty()) above.job = std::max(above.job, folders.back());
  return above;
}

JournalLoss FindLoss(const HighWater& known, const os::Path& mark, const os::Path& jobs) {
  JournalLoss loss;
  loss.known = known;
  loss.marked = HighWaterMark::Read(mark).value_or(HighWater{});
  loss.folders = FoldersAbove(jobs, known.job);
  return loss;
}

Result<HighWater> HighWaterOf(Database& db) {
  HighWater known;
  MUSTER_ASSIGN(known.job, db.Number("SELECT seq FROM sqlite_sequence WHERE name = 'jobs'"));
  MUSTER_ASSIGN(known.event, db.Number("SELECT seq FROM sqlite_sequence WHERE name = 'events'"));
  return known;
}

Status RaiseTo(Database& db, const HighWater& floor) {
  MUSTER_TRY(db.Run("BEGIN IMMEDIATE"));
  const auto raise = [&](std::string_view table, int64_t number) -> Status {
    MUSTER_TRY(
        db.Run("UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1", {table, number}));
    if (db.Changes() > 0) return {};
    return db.Run("INSERT INTO sqlite_sequence(name, seq) VALUES(?1, ?2)", {table, number});
  };
  MUSTER_TRY(raise("jobs", floor.job));
  MUSTER_TRY(raise("events", floor.event));
  return db.Run("COMMIT");
}

Error LossError(const JournalLoss& loss, const os::Path& journal) {
  std::string text = fmt::format("{} has lost data: it ends at job {} and event {}",
                                 journal.string(), loss.known.job, loss.known.event);
  if (loss.marked.job > loss.known.job || loss.marked.event > loss.known.event)
    text += fmt::format(", but job {} and event {} were acknowledged (journal.mark)",
                        loss.marked.job, loss.marked.event);
  if (!loss.folders.empty())
    text += fmt::format("; jobs/ has {} that it does not know ({})",
                        Counted(int64_t(loss.folders.size()), "folder"), Range(loss.folders));
  return {Code::kCorrupt, std::move(text),
          "restore journal.db and journal.db-wal from a copy, or start with "
          "--accept-journal-loss: lost jobs that still run are stopped, and their folders stay",
          0};
}

}  // namespace muster::store
