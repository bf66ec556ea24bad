#include "transfer/record.h"

#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>

#include "os/temp_dir.h"

namespace muster::transfer {
namespace {

class RecordTest : public testing::Test {
 protected:
  std::unique_ptr<Record> Open() { return Record::Open(dir_ / "r", "copy a b").value(); }
  os::Path File() { return std::filesystem::directory_iterator(dir_ / "r")->path(); }
  const std::string odd_ = "k\n\xff\"";
  os::TempDir dir_;
};

TEST_F(RecordTest, CopyResumesFromTheJournal) {
  Open()->Begin(odd_, {.identity = "i", .upload = "u", .with_crc = true, .part_size = 7});
  Open()->AddPart(odd_, 2, {"e2", "d2"});
  Open()->AddPart(odd_, 9, {"e9", "d9"});
  const auto begun = Open()->Find(odd_);
  ASSERT_TRUE(begun && begun->Fits("i", 7));
  EXPECT_EQ(begun->upload, "u");
  EXPECT_TRUE(begun->with_crc);
  ASSERT_EQ(begun->parts.size(), 2u);
  EXPECT_EQ(begun->parts.at(9).etag, "e9");
  EXPECT_EQ(begun->parts.at(2).digest, "d2");
}

TEST_F(RecordTest, ChangedSourceOrPartsStartAgain) {
  Open()->Begin("k", {.identity = "i", .upload = "u", .part_size = 7});
  EXPECT_FALSE(Open()->Find("k")->Fits("j", 7));
  EXPECT_FALSE(Open()->Find("k")->Fits("i", 8));
  EXPECT_FALSE(Open()->Find("l"));
  Open()->Forget("k");
  EXPECT_FALSE(Open()->Find("k"));
}

TEST_F(RecordTest, FinishedObjectsAreRemembered) {
  EXPECT_FALSE(Open()->HasDone());
  Open()->Done("k", "i");
  EXPECT_TRUE(Open()->WasDone("k", "i"));
  EXPECT_FALSE(Open()->WasDone("k", "j"));
  EXPECT_TRUE(Open()->HasDone());
  Open()->Remove();
  EXPECT_FALSE(Open()->HasDone());
}

TEST_F(RecordTest, TornOrDamagedLinesAreIgnored) {
  Open()->Done("a", "1");
  std::ofstream(File(), std::ios::app) << "00000000 {\"kind\":\"done\"}\nffff";
  Open()->Done("b", "1");
  const auto record = Open();
  EXPECT_TRUE(record->WasDone("a", "1"));
  EXPECT_TRUE(record->WasDone("b", "1"));
}

TEST_F(RecordTest, FinishedObjectsAreWrittenWithTheNextLine) {
  const auto record = Open();
  for (int i = 0; i < 20; ++i) record->Done(std::to_string(i), "x");
  record->Begin("large", {.identity = "y", .upload = "u", .part_size = 5});
  const auto text = os::ReadFile(File());
  ASSERT_TRUE(text);
  EXPECT_EQ(std::ranges::count(*text, '\n'), 21);
  EXPECT_LT(text->find("\"done\""), text->find("\"begin\""));
}

TEST_F(RecordTest, SecondProcessCannotOpenTheSameJournal) {
  const auto first = Open();
  EXPECT_EQ(Record::Open(dir_ / "r", "copy a b").error().code, Code::kConflict);
  EXPECT_TRUE(Record::Open(dir_ / "r", "copy a c"));
}

TEST_F(RecordTest, OldJournalsAreRemoved) {
  Open()->Done("a", "1");
  const os::Path file = File();
  std::filesystem::last_write_time(
      file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * 8));
  EXPECT_TRUE(Record::Open(dir_ / "r", "another"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace muster::transfer
