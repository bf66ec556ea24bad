#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/thread_annotations.h"
#include "store/journal.h"
#include "store/sqlite.h"

namespace muster::store {

// The reading half of the journal on a separate connection, which WAL permits concurrently with
// writes. Methods as in Journal.
class JournalReads {
 public:
  // `db` is a journal with the current schema.
  explicit JournalReads(Database db) : db_(std::move(db)) {}

  Result<std::optional<Job>> FindJob(JobId id) EXCLUDES(mutex_);
  Result<std::optional<KeyUse>> FindKey(const std::string& key) EXCLUDES(mutex_);
  Result<std::vector<JobRow>> ListJobs(const JobFilter& filter) EXCLUDES(mutex_);
  Result<std::map<State, int64_t>> CountJobs(const JobFilter& filter) EXCLUDES(mutex_);
  Result<std::vector<Job>> UnfinishedJobs() EXCLUDES(mutex_);
  Result<std::vector<EventRow>> Events(std::optional<JobId> job, int64_t after_seq, int limit)
      EXCLUDES(mutex_);
  Result<int64_t> LastEventSeq() EXCLUDES(mutex_);
  Result<bool> UsesCode(const std::string& hash) EXCLUDES(mutex_);
  Result<JobId> NextJobId() EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  Database db_ GUARDED_BY(mutex_);
};

}  // namespace muster::store
