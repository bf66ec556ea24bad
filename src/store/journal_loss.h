#pragma once

#include <string>
#include <vector>

#include "store/high_water_mark.h"
#include "store/sqlite.h"

namespace muster::store {

// What a journal lacks, by its high-water mark and by the folders of jobs.
struct JournalLoss {
  HighWater known;             // what the journal has
  HighWater marked;            // what it had
  std::vector<JobId> folders;  // of jobs above all that it knows, ascending
  bool any() const {
    return marked.job > known.job || marked.event > known.event || !folders.empty();
  }
  // The first id that no lost job can have had.
  HighWater above() const;
};

// `jobs` is the folder with the folders of jobs; empty: it is not looked at.
JournalLoss FindLoss(const HighWater& known, const os::Path& mark, const os::Path& jobs);
Result<HighWater> HighWaterOf(Database& db);
// Numbers of lost jobs and events are not given again.
Status RaiseTo(Database& db, const HighWater& floor);

// One error: what is missing, and the ways out.
Error LossError(const JournalLoss& loss, const os::Path& journal);

}  // namespace muster::store
