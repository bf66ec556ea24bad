#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "os/file.h"

struct sqlite3;
struct sqlite3_stmt;

namespace muster::store {

// The types of statement parameters.
using SqlValue = std::variant<int64_t, std::string_view>;

// A use of a prepared statement, which is returned to the connection's cache by the destructor;
// must not outlive its Database. A text can be in use only once at a time.
class Statement {
 public:
  Statement(Statement&& other) noexcept : file_(other.file_), stmt_(other.stmt_) {
    other.stmt_ = nullptr;
  }
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  // Steps to the next row; false after the last.
  Result<bool> Step();
  int64_t Int(int column) const;
  std::string Text(int column) const;

 private:
  friend class Database;
  Statement(const std::string& file, sqlite3_stmt* stmt) : file_(&file), stmt_(stmt) {}

  const std::string* file_;  // for errors; owned by the Database
  sqlite3_stmt* stmt_;
};

// One connection to one SQLite file. One thread at a time.
//
// Errors by code: kNoSpace disk full, kIo refused by the system, kCorrupt not a database or
// damaged, kUnavailable locked by another process, kExists and kNotFound for broken keys and
// references.
class Database {
 public:
  // The file must exist; an empty file is an empty database.
  static Result<Database> Open(const os::Path& file);

  // Prepares (once per text) and binds `values` to ?1, ?2, …
  Result<Statement> Query(std::string_view sql, std::span<const SqlValue> values);
  Result<Statement> Query(std::string_view sql, std::initializer_list<SqlValue> values = {});
  // As Query, executed to its end.
  Status Run(std::string_view sql, std::initializer_list<SqlValue> values = {});
  // Several statements without parameters, not cached.
  Status Script(const std::string& sql);
  // The first column of the first row; `fallback` without a row.
  Result<int64_t> Number(std::string_view sql, int64_t fallback = 0);

  int64_t Changes() const;  // rows changed by the last Run
  // False also if SQLite rolled the transaction back itself, as it does after some failures.
  bool InTransaction() const;
  const std::string& file() const { return *file_; }

  // Whether closing the last connection leaves the log as it is, instead of folding it into the
  // main file.
  void KeepLogOnClose(bool keep);
  // Disables automatic checkpoints; WalPages returns the length of the WAL.
  void TakeOverCheckpoints();
  int WalPages() const { return *wal_pages_; }
  // kPassive checkpoints without waiting for readers; kTruncate waits for readers (up to the busy
  // timeout) and empties the WAL.
  enum class Checkpoint { kPassive, kTruncate };
  Status RunCheckpoint(Checkpoint mode);

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* stmt) const;
  };

  Database(std::unique_ptr<sqlite3, Close> db, const os::Path& file);
  Result<sqlite3_stmt*> Prepare(std::string_view sql);

  // Statements point to the name and a hook to the count, so both must not move.
  std::unique_ptr<const std::string> file_;
  std::unique_ptr<int> wal_pages_;
  std::unique_ptr<sqlite3, Close> db_;
  std::map<std::string, std::unique_ptr<sqlite3_stmt, Finalize>, std::less<>> statements_;
};

}  // namespace muster::store
