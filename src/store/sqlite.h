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

// What a parameter of a statement may hold.
using SqlValue = std::variant<int64_t, std::string_view>;

// One use of a prepared statement. It belongs to the connection's cache and is given back, reset,
// when this goes; it must not outlive its Database. The same text may be in use once at a time.
class Statement {
 public:
  Statement(Statement&& other) noexcept : file_(other.file_), stmt_(other.stmt_) {
    other.stmt_ = nullptr;
  }
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  // Goes to the next row; false after the last.
  Result<bool> Step();
  int64_t Int(int column) const;
  std::string Text(int column) const;

 private:
  friend class Database;
  Statement(const std::string& file, sqlite3_stmt* stmt) : file_(&file), stmt_(stmt) {}

  const std::string* file_;  // for errors; the Database's
  sqlite3_stmt* stmt_;
};

// One connection to one SQLite file. One thread at a time.
//
// Errors by code: kNoSpace disk full, kIo refused by the system, kCorrupt not a database or
// damaged, kUnavailable locked by another process, kExists and kNotFound for broken keys and
// references.
class Database {
 public:
  // The file must exist; an empty one is an empty database.
  static Result<Database> Open(const os::Path& file);

  // Prepares (once for each text) and binds `values` to ?1, ?2, …
  Result<Statement> Query(std::string_view sql, std::span<const SqlValue> values);
  Result<Statement> Query(std::string_view sql, std::initializer_list<SqlValue> values = {});
  // The same, carried out to its end.
  Status Run(std::string_view sql, std::initializer_list<SqlValue> values = {});
  // Several statements without parameters, not kept.
  Status Script(const std::string& sql);
  // The first column of the first row; `fallback` when there is no row.
  Result<int64_t> Number(std::string_view sql, int64_t fallback = 0);

  int64_t Changes() const;  // rows that the last Run touched
  // False also when SQLite itself rolled the transaction back, as it does on some failures.
  bool InTransaction() const;
  const std::string& file() const { return *file_; }

  // Whether closing the last connection leaves the log as it is, instead of folding it into the
  // main file.
  void KeepLogOnClose(bool keep);
  // From now on nothing is checkpointed unless asked, and WalPages says how long the log is.
  void TakeOverCheckpoints();
  int WalPages() const { return *wal_pages_; }
  // kPassive moves what no reader needs and never waits; kTruncate waits for readers (as long as
  // the busy timeout) and empties the file.
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

  // Statements point to the name and a hook to the count, so both stay where they are in a move.
  std::unique_ptr<const std::string> file_;
  std::unique_ptr<int> wal_pages_;
  std::unique_ptr<sqlite3, Close> db_;
  std::map<std::string, std::unique_ptr<sqlite3_stmt, Finalize>, std::less<>> statements_;
};

}  // namespace muster::store
