#pragma once

#include <span>

#include "base/result.h"
#include "store/sqlite.h"

namespace muster::store {

// "MSTR" in the header of the file: tells a journal from any other SQLite file.
inline constexpr int64_t kApplicationId = 0x4d535452;

// One step from the version before it. Published steps are never changed, only followed by new
// ones.
struct Migration {
  int version;
  const char* sql;
};

// 1, 2, … without gaps; the last is the version this program reads and writes.
std::span<const Migration> Migrations();

// Brings an open file to the last version of `migrations`, each step in a transaction of its own,
// so that a failure leaves the version before it. Changes nothing in a file that is not a journal
// (kInvalid) or is newer than that (kConflict, both versions named); kCorrupt when it is damaged.
Status BringUpToDate(Database& db, std::span<const Migration> migrations = Migrations());

// Reads one row of every table of the last version: a file that lost its end still has a good
// header.
Status CheckTables(Database& db);

}  // namespace muster::store
