#include "store/schema.h"

#include <algorithm>
#include <array>
#include <fstream>

#include <gmock/gmock.h>

#include "os/temp_dir.h"
#include "store/journal.h"

namespace muster::store {
namespace {

using testing::HasSubstr;

constexpr std::array kTwoSteps = {
    Migration{1, "CREATE TABLE jobs(id INTEGER PRIMARY KEY, name TEXT);"},
    Migration{2, "ALTER TABLE jobs ADD COLUMN priority INTEGER NOT NULL DEFAULT 5;"}};

class SchemaTest : public testing::Test {
 protected:
  os::Path File() const { return folder_ / "journal.db"; }

  Database Open() {
    std::ofstream(File(), std::ios::app).flush();
    return std::move(Database::Open(File()).value());
  }
  // A file as an older version left it.
  void MakeOld(const std::string& sql) { ASSERT_TRUE(Open().Script(sql)); }
  std::string Bytes() const { return os::ReadFile(File()).value(); }

  os::TempDir folder_;
};

TEST_F(SchemaTest, MigrationsAreNumberedWithoutGaps) {
  int expected = 1;
  for (const Migration& migration : Migrations()) EXPECT_EQ(migration.version, expected++);
}

TEST_F(SchemaTest, EmptyFileGetsTheLastVersion) {
  Database db = Open();
  ASSERT_TRUE(BringUpToDate(db));
  EXPECT_EQ(db.Number("PRAGMA user_version").value(), Migrations().back().version);
  EXPECT_EQ(db.Number("PRAGMA application_id").value(), kApplicationId);
  EXPECT_TRUE(CheckTables(db));
}

TEST_F(SchemaTest, SecondMigrationChangesNothing) {
  Database db = Open();
  ASSERT_TRUE(BringUpToDate(db));
  const std::string before = Bytes();
  ASSERT_TRUE(BringUpToDate(db));
  EXPECT_EQ(Bytes(), before);
}

TEST_F(SchemaTest, OlderFileIsMigratedAndKeepsItsRows) {
  MakeOld(
      "CREATE TABLE jobs(id INTEGER PRIMARY KEY, name TEXT);"
      "INSERT INTO jobs VALUES(7, 'old'); PRAGMA user_version = 1;"
      "PRAGMA application_id = 1297306706;");
  Database db = Open();
  ASSERT_TRUE(BringUpToDate(db, kTwoSteps));
  EXPECT_EQ(db.Number("PRAGMA user_version").value(), 2);
  EXPECT_EQ(db.Number("SELECT priority FROM jobs WHERE id = 7 AND name = 'old'").value(), 5);
}

TEST_F(SchemaTest, FailedMigrationKeepsThePreviousVersion) {
  constexpr std::array kBadStep = {kTwoSteps[0],
                                   Migration{2, "CREATE TABLE extra(a); CREATE TABLE jobs(a);"}};
  Database db = Open();
  const auto status = BringUpToDate(db, kBadStep);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().text, HasSubstr("version 2"));
  EXPECT_FALSE(db.InTransaction());
  EXPECT_EQ(db.Number("PRAGMA user_version").value(), 1);
  EXPECT_EQ(db.Number("SELECT count(*) FROM sqlite_schema WHERE name = 'extra'").value(), 0);
}

TEST_F(SchemaTest, NewerFileIsRefusedWithBothVersionsUnchanged) {
  {
    Database db = Open();
    ASSERT_TRUE(BringUpToDate(db));
    ASSERT_TRUE(db.Script("PRAGMA user_version = 99"));
  }
  const std::string before = Bytes();
  const auto journal = Journal::Open(File());
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code, Code::kConflict);
  EXPECT_THAT(journal.error().text, HasSubstr("version 99"));
  EXPECT_THAT(journal.error().text,
              HasSubstr("up to " + std::to_string(Migrations().back().version)));
  EXPECT_EQ(Bytes(), before);
}

TEST_F(SchemaTest, OtherSqliteFileIsRefusedUnchanged) {
  MakeOld("CREATE TABLE bookmarks(url TEXT);");
  const std::string before = Bytes();
  const auto journal = Journal::Open(File());
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code, Code::kInvalid);
  EXPECT_THAT(journal.error().text, HasSubstr("not a journal"));
  EXPECT_EQ(Bytes(), before);
}

TEST_F(SchemaTest, FileThatIsNotSqliteIsRefusedUnchanged) {
  std::ofstream(File()) << std::string(10'000, 'j');
  const auto journal = Journal::Open(File());
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code, Code::kCorrupt);
  EXPECT_THAT(journal.error().text, HasSubstr(File().string()));
  EXPECT_THAT(journal.error().next, HasSubstr("restore"));
  EXPECT_EQ(Bytes(), std::string(10'000, 'j'));
}

TEST_F(SchemaTest, TruncatedFileIsRefused) {
  ASSERT_TRUE(Journal::Open(File()));
  std::filesystem::resize_file(File(), 2 * 4096);
  const auto journal = Journal::Open(File());
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code, Code::kCorrupt);
  EXPECT_THAT(journal.error().next, HasSubstr("restore"));
}

TEST_F(SchemaTest, FileWithOverwrittenPagesIsRefused) {
  ASSERT_TRUE(Journal::Open(File()));
  std::string bytes = Bytes();
  std::fill(bytes.begin() + 4096, bytes.end(), '\x5a');
  std::ofstream(File(), std::ios::trunc) << bytes;
  const auto journal = Journal::Open(File());
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code, Code::kCorrupt);
}

TEST_F(SchemaTest, FileIsReadableByItsOwnerOnly) {
  ASSERT_TRUE(Journal::Open(File()));
  const auto mode = std::filesystem::status(File()).permissions();
  EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(SchemaTest, OpenNamesAMissingFolder) {
  const auto journal = Journal::Open(folder_ / "none" / "journal.db");
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code, Code::kNotFound);
}

TEST_F(SchemaTest, OpenRejectsAFolder) {
  std::filesystem::create_directory(File());
  EXPECT_FALSE(Journal::Open(File()));
}

}  // namespace
}  // namespace muster::store
