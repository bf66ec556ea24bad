#pragma once

#include <span>

#include "base/result.h"
#include "store/sqlite.h"

namespace muster::store {

// "MSTR" in the file header distinguishes a journal from other SQLite files.
inline constexpr int64_t kApplicationId = 0x4d535452;

// A migration from the previous version. Published migrations are never changed.
struct Migration {
  int version;
  const char* sql;
};

// 1, 2, … without gaps; the last version is the one that this program uses.
std::span<const Migration> Migrations();

// Migrates an open file to the last version, each step in a transaction, so that a failure keeps
// the previous version. Does not change a file that is not a journal (kInvalid) or is newer
// (kConflict with both versions); kCorrupt if it is damaged.
Status BringUpToDate(Database& db, std::span<const Migration> migrations = Migrations());

// Reads a row of every table: a truncated file still has a valid header.
Status CheckTables(Database& db);

}  // namespace muster::store
