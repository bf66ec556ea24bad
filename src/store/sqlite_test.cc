#include "store/sqlite.h"

#include <fstream>

#include <gmock/gmock.h>

#include "os/temp_dir.h"

namespace muster::store {
namespace {

using testing::HasSubstr;

class SqliteTest : public testing::Test {
 protected:
  SqliteTest() : db_(Make()) {}

  Database Make() {
    std::ofstream(folder_ / "a.db").flush();
    return std::move(Database::Open(folder_ / "a.db").value());
  }

  os::TempDir folder_;
  Database db_;
};

TEST_F(SqliteTest, ValuesRoundTrip) {
  ASSERT_TRUE(db_.Script("CREATE TABLE t(a INTEGER, b TEXT)"));
  const std::string odd("a\0b' \xff", 6);
  ASSERT_TRUE(db_.Run("INSERT INTO t VALUES(?1, ?2)", {INT64_MIN, odd}));
  EXPECT_EQ(db_.Changes(), 1);
  auto rows = db_.Query("SELECT a, b FROM t");
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->Step().value(), true);
  EXPECT_EQ(rows->Int(0), INT64_MIN);
  EXPECT_EQ(rows->Text(1), odd);
  EXPECT_EQ(rows->Step().value(), false);
}

TEST_F(SqliteTest, EmptyTextIsNotNull) {
  ASSERT_TRUE(db_.Script("CREATE TABLE t(b TEXT NOT NULL)"));
  EXPECT_TRUE(db_.Run("INSERT INTO t VALUES(?1)", {std::string_view()}));
}

TEST_F(SqliteTest, StatementCanBeReusedAfterAPartialRead) {
  ASSERT_TRUE(db_.Script("CREATE TABLE t(a); INSERT INTO t VALUES(1),(2);"));
  for (int round = 0; round < 3; ++round) {
    auto rows = db_.Query("SELECT a FROM t WHERE a >= ?1", {1});
    ASSERT_TRUE(rows);
    ASSERT_EQ(rows->Step().value(), true);
    EXPECT_EQ(rows->Int(0), 1);
  }
}

TEST_F(SqliteTest, NumberReturnsTheFallbackWithoutARow) {
  ASSERT_TRUE(db_.Script("CREATE TABLE t(a)"));
  EXPECT_EQ(db_.Number("SELECT a FROM t", 7).value(), 7);
}

TEST_F(SqliteTest, KeyAndReferenceViolationsHaveDistinctCodes) {
  ASSERT_TRUE(
      db_.Script("PRAGMA foreign_keys = ON; CREATE TABLE t(a INTEGER PRIMARY KEY);"
                 "CREATE TABLE u(a UNIQUE, t REFERENCES t(a)); INSERT INTO t VALUES(1);"
                 "INSERT INTO u VALUES(1, 1);"));
  EXPECT_EQ(db_.Run("INSERT INTO t VALUES(1)").error().code, Code::kExists);
  EXPECT_EQ(db_.Run("INSERT INTO u VALUES(1, 1)").error().code, Code::kExists);
  EXPECT_EQ(db_.Run("INSERT INTO u VALUES(2, 9)").error().code, Code::kNotFound);
}

TEST_F(SqliteTest, FullFileIsNoSpaceWithANextStep) {
  ASSERT_TRUE(db_.Script("CREATE TABLE t(a); PRAGMA max_page_count = 4;"));
  const auto status = db_.Run("INSERT INTO t VALUES(?1)", {std::string(100'000, 'x')});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kNoSpace);
  EXPECT_THAT(status.error().text, HasSubstr((folder_ / "a.db").string()));
  EXPECT_THAT(status.error().next, HasSubstr("free space"));
}

TEST_F(SqliteTest, LockedFileIsUnavailable) {
  auto other = Database::Open(folder_ / "a.db");
  ASSERT_TRUE(other);
  ASSERT_TRUE(other->Run("BEGIN EXCLUSIVE"));
  EXPECT_EQ(db_.Run("BEGIN IMMEDIATE").error().code, Code::kUnavailable);
}

TEST_F(SqliteTest, OpenNamesAMissingFile) {
  const auto missing = Database::Open(folder_ / "none.db");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::kIo);
  EXPECT_THAT(missing.error().text, HasSubstr("none.db"));
}

TEST_F(SqliteTest, MoveKeepsStatementsAndCheckpointsWorking) {
  ASSERT_TRUE(db_.Script("PRAGMA journal_mode = WAL; CREATE TABLE t(a);"));
  db_.TakeOverCheckpoints();
  Database moved = std::move(db_);
  ASSERT_TRUE(moved.Run("INSERT INTO t VALUES(1)"));
  EXPECT_GT(moved.WalPages(), 0);
  EXPECT_TRUE(moved.RunCheckpoint(Database::Checkpoint::kTruncate));
  EXPECT_EQ(std::filesystem::file_size(folder_ / "a.db-wal"), 0u);
}

}  // namespace
}  // namespace muster::store
