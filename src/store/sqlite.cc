#include "store/sqlite.h"

#include <sqlite3.h>

#include <cassert>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

namespace muster::store {
namespace {

bool IsOutOfSpace(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

Code CodeOf(int rc, int sys) {
  switch (rc) {
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      return Code::kNotFound;
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
    case SQLITE_CONSTRAINT_UNIQUE:
      return Code::kExists;
    default:
      break;
  }
  switch (rc & 0xff) {
    case SQLITE_FULL:
      return Code::kNoSpace;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
      return IsOutOfSpace(sys) ? Code::kNoSpace : Code::kIo;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Code::kCorrupt;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Code::kUnavailable;
    case SQLITE_CONSTRAINT:
      return Code::kConflict;
    case SQLITE_TOOBIG:
      return Code::kTooLarge;
    default:
      return Code::kInternal;
  }
}

const char* NextStep(Code code) {
  switch (code) {
    case Code::kNoSpace:
      return "free space on that disk; nothing needs to be restarted";
    case Code::kIo:
      return "check the disk, and the owner and mode of the file and its folder";
    case Code::kCorrupt:
      return "stop the server and restore the file from a copy; without one, move it and its -wal "
             "and "
             "-shm files away (an empty journal is made then; the folders of the jobs stay)";
    case Code::kUnavailable:
      return "close the other program that has the file open";
    default:
      return "";
  }
}

// SQLite keeps the errno of a failure with the affected file: the main file or the WAL.
int LastErrno(sqlite3* db) {
  int error = 0;
  sqlite3_file* log = nullptr;
  sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (log != nullptr && log->pMethods != nullptr)
    log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &error);
  if (error == 0) sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &error);
  return error;
}

std::unexpected<Error> FailSqlite(sqlite3* db, int rc, std::string_view what,
                                  const std::string& file) {
  int sys = 0;
  if (db != nullptr && (rc & 0xff) == SQLITE_IOERR) sys = LastErrno(db);
  if (db != nullptr && (rc & 0xff) == SQLITE_CANTOPEN) sys = sqlite3_system_errno(db);
  const Code code = CodeOf(rc, sys);
  // The message of the connection is more specific, but refers only to its last failure.
  std::string cause =
      db != nullptr && sqlite3_extended_errcode(db) == rc ? sqlite3_errmsg(db) : sqlite3_errstr(rc);
  if (sys != 0) cause += fmt::format(" ({})", std::generic_category().message(sys));
  return std::unexpected(
      Error{code, fmt::format("cannot {} {}: {}", what, file, cause), NextStep(code), sys});
}

// SQLite classifies BEGIN and COMMIT as reads; messages must not.
std::string_view Verb(sqlite3_stmt* stmt) {
  return sqlite3_stmt_readonly(stmt) != 0 && sqlite3_column_count(stmt) > 0 ? "read" : "write";
}

int BindOne(sqlite3_stmt* stmt, int index, const SqlValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value))
    return sqlite3_bind_int64(stmt, index, *number);
  const std::string_view text = std::get<std::string_view>(value);
  // A null pointer would bind NULL instead of an empty text.
  const char* bytes = text.data() != nullptr ? text.data() : "";
  return sqlite3_bind_text64(stmt, index, bytes, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

}  // namespace

Statement::~Statement() {
  if (stmt_ == nullptr) return;
  sqlite3_reset(stmt_);
  sqlite3_clear_bindings(stmt_);
}

Result<bool> Statement::Step() {
  const int rc = sqlite3_step(stmt_);
  if (rc == SQLITE_ROW) return true;
  if (rc == SQLITE_DONE) return false;
  return FailSqlite(sqlite3_db_handle(stmt_), rc, Verb(stmt_), *file_);
}

int64_t Statement::Int(int column) const { return sqlite3_column_int64(stmt_, column); }

std::string Statement::Text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(stmt_, column));
  if (bytes == nullptr) return {};
  return std::string(bytes, size_t(sqlite3_column_bytes(stmt_, column)));
}

void Database::Close::operator()(sqlite3* db) const { sqlite3_close_v2(db); }
void Database::Finalize::operator()(sqlite3_stmt* stmt) const { sqlite3_finalize(stmt); }

Database::Database(std::unique_ptr<sqlite3, Close> db, const os::Path& file)
    : file_(std::make_unique<const std::string>(file.string())),
      wal_pages_(std::make_unique<int>(0)),
      db_(std::move(db)) {}

Result<Database> Database::Open(const os::Path& file) {
  sqlite3* raw = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  // Keeps the WAL index in memory and locks the file for this process. A mapped index file on a
  // full disk would end the server by SIGBUS.
  const int rc = sqlite3_open_v2(file.c_str(), &raw, flags, "unix-excl");
  std::unique_ptr<sqlite3, Close> db(raw);
  if (rc != SQLITE_OK) return FailSqlite(raw, rc, "open", file.string());
  return Database(std::move(db), file);
}

Result<sqlite3_stmt*> Database::Prepare(std::string_view sql) {
  if (const auto found = statements_.find(sql); found != statements_.end())
    return found->second.get();
  sqlite3_stmt* raw = nullptr;
  const int rc = sqlite3_prepare_v3(db_.get(), sql.data(), int(sql.size()),
                                    SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  if (rc != SQLITE_OK) return FailSqlite(db_.get(), rc, "use", *file_);
  statements_.emplace(std::string(sql), std::unique_ptr<sqlite3_stmt, Finalize>(raw));
  return raw;
}

Result<Statement> Database::Query(std::string_view sql, std::span<const SqlValue> values) {
  MUSTER_ASSIGN(sqlite3_stmt * stmt, Prepare(sql));
  assert(sqlite3_stmt_busy(stmt) == 0);
  Statement statement(*file_, stmt);
  int index = 0;
  for (const SqlValue& value : values) {
    const int rc = BindOne(stmt, ++index, value);
    if (rc != SQLITE_OK) return FailSqlite(db_.get(), rc, Verb(stmt), *file_);
  }
  return statement;
}

Result<Statement> Database::Query(std::string_view sql, std::initializer_list<SqlValue> values) {
  return Query(sql, std::span(values.begin(), values.size()));
}

Status Database::Run(std::string_view sql, std::initializer_list<SqlValue> values) {
  MUSTER_ASSIGN(Statement statement, Query(sql, values));
  while (true) {
    MUSTER_ASSIGN(const bool row, statement.Step());
    if (!row) return {};
  }
}

Status Database::Script(const std::string& sql) {
  const int rc = sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) return FailSqlite(db_.get(), rc, "prepare", *file_);
  return {};
}

Result<int64_t> Database::Number(std::string_view sql, int64_t fallback) {
  MUSTER_ASSIGN(Statement statement, Query(sql));
  MUSTER_ASSIGN(const bool row, statement.Step());
  return row ? statement.Int(0) : fallback;
}

int64_t Database::Changes() const { return sqlite3_changes64(db_.get()); }

bool Database::InTransaction() const { return sqlite3_get_autocommit(db_.get()) == 0; }

void Database::KeepLogOnClose(bool keep) {
  sqlite3_db_config(db_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep ? 1 : 0, nullptr);
}

void Database::TakeOverCheckpoints() {
  sqlite3_wal_hook(
      db_.get(),
      [](void* pages, sqlite3*, const char*, int count) {
        *static_cast<int*>(pages) = count;
        return SQLITE_OK;
      },
      wal_pages_.get());
}

Status Database::RunCheckpoint(Checkpoint mode) {
  const int how =
      mode == Checkpoint::kPassive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE;
  const int rc = sqlite3_wal_checkpoint_v2(db_.get(), nullptr, how, nullptr, nullptr);
  if (rc != SQLITE_OK) return FailSqlite(db_.get(), rc, "checkpoint", *file_);
  return {};
}

}  // namespace muster::store
