#include "transfer/copy.h"

#include <fstream>

#include <gmock/gmock.h>

#include "objects/s3_server.h"
#include "os/temp_dir.h"
#include "transfer/objects.h"
#include "transfer/remove.h"

namespace muster::transfer {
namespace {

using testing::HasSubstr;

constexpr int64_t kMiB = 1 << 20;

// Stops the copy after this many bytes.
class StopAfter final : public Observer {
 public:
  explicit StopAfter(int64_t bytes) : bytes_(bytes) {}
  void Tick(const Tally& tally) override { stop_ = tally.moved_bytes >= bytes_; }
  bool GoOn() override { return !stop_; }

 private:
  const int64_t bytes_;
  bool stop_ = false;
};

// The engine with a real store in this process: over its connection, and with the shortcut for a
// store on this machine.
class CopyTest : public testing::TestWithParam<bool> {
 protected:
  CopyTest() {
    server_ = objects::S3Server::Start({.root = dir_ / "objects", .threads = 3}).value();
    EXPECT_TRUE(Objects(stores_, nobody_).MakeBucket(Place("s3://bucket")));
  }

  Profile Find(const std::string& name) const {
    Profile profile{.name = "test", .endpoint = server_->url()};
    profile.access_key = server_->first_key().access_key;
    profile.secret_key = name == "wrong" ? "wrong" : server_->first_key().secret_key;
    // Another region requires another signature, so the two count as different stores and bytes
    // pass through the client.
    if (name == "other")
      profile.endpoint.replace(profile.endpoint.find("127.0.0.1"), 9, "localhost");
    // This name does not identify the store as local.
    if (name == "far") profile.endpoint.replace(profile.endpoint.find("127.0.0.1"), 9, "0.0.0.0");
    return profile;
  }
  Location Place(const std::string& text) const {
    if (text.starts_with("s3:")) return ParseLocation(text).value();
    return ParseLocation((dir_ / text).string() + (text.ends_with('/') ? "/" : "")).value();
  }
  std::string Fill(const std::string& name, int64_t size) const {
    std::string bytes(static_cast<size_t>(size), '\0');
    uint32_t state = static_cast<uint32_t>(size) + 1;
    for (char& c : bytes) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
    std::filesystem::create_directories((dir_ / name).parent_path());
    std::ofstream(dir_ / name, std::ios::binary) << bytes;
    return bytes;
  }
  std::string Read(const std::string& name) const {
    return os::ReadFile(dir_ / name).value_or("(missing)");
  }
  Summary Run(const std::string& from, const std::string& to, Observer& observer) {
    const Location sources[] = {Place(from)};
    auto summary = Copy(sources, Place(to), options_, stores_, observer);
    EXPECT_TRUE(summary) << summary.error().text;
    return summary ? std::move(*summary) : Summary();
  }
  Summary Run(const std::string& from, const std::string& to) { return Run(from, to, nobody_); }

  os::TempDir dir_;
  std::unique_ptr<objects::S3Server> server_;
  Stores stores_{[this](const std::string& name) -> Result<Profile> { return Find(name); }};
  Observer nobody_;
  CopyOptions options_{.recursive = true,
                       .workers = 4,
                       .parts = {.usual = 5 * kMiB, .whole_up_to = 5 * kMiB},
                       .shortcut = GetParam(),
                       .record_folder = dir_ / "records"};
};

TEST_P(CopyTest, TreeIsUploadedAndDownloadedUnchanged) {
  std::map<std::string, std::string> files;
  for (int i = 0; i < 50; ++i) {
    const std::string name = "d" + std::to_string(i % 5) + "/f" + std::to_string(i);
    files[name] = Fill("in/" + name, i * 1000);
  }
  EXPECT_EQ(Run("in", "s3://bucket/p").copied, 50);
  const Summary down = Run("s3://bucket/p", "out");
  EXPECT_EQ(down.copied, 50);
  EXPECT_EQ(down.checked[size_t(Check::kCrc)], 50);
  for (const auto& [name, bytes] : files) EXPECT_TRUE(Read("out/" + name) == bytes) << name;
  EXPECT_TRUE(std::filesystem::is_empty(dir_ / "records"));
}

// This store does not unpack archives: the objects are then uploaded singly, and the archive is
// removed.
TEST_P(CopyTest, ArchiveThatIsNotUnpackedIsRemoved) {
  for (int i = 0; i < 40; ++i) Fill("in/f" + std::to_string(i), i * 100);
  options_.shortcut = true;
  const auto store = stores_.For("far").value();
  store->MeetServer("MinIO");
  ASSERT_TRUE(store->unpacks());
  const Summary up = Run("in", "s3://far@bucket/p");
  EXPECT_EQ(up.copied, 40);
  EXPECT_GT(up.retries, 0);  // the archive upload was attempted
  EXPECT_FALSE(store->unpacks());
  store->MeetServer("MinIO");
  EXPECT_FALSE(store->unpacks());  // and is not attempted again
  EXPECT_EQ(Run("s3://bucket/p", "out").copied, 40);
  for (int i = 0; i < 40; ++i) {
    const std::string name = "/f" + std::to_string(i);
    EXPECT_TRUE(Read("out" + name) == Read("in" + name)) << i;
  }
}

TEST_P(CopyTest, LargeObjectIsCopiedInPartsBetweenAllKindsOfEnds) {
  const std::string bytes = Fill("large", 17 * kMiB + 5);
  options_.recursive = false;
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"large", "s3://bucket/a"},
                                                        {"s3://bucket/a", "s3://bucket/b"},
                                                        {"s3://bucket/b", "s3://other@bucket/c"},
                                                        {"s3://other@bucket/c", "copy"},
                                                        {"copy", "again"}}) {
    const Summary summary = Run(from, to);
    EXPECT_EQ(summary.copied, 1) << to;
    EXPECT_EQ(summary.bytes, 17 * kMiB + 5);
  }
  EXPECT_TRUE(Read("copy") == bytes);
  EXPECT_TRUE(Read("again") == bytes);
}

TEST_P(CopyTest, StoppedCopyResumesWithoutRepeatingParts) {
  const std::string bytes = Fill("large", 30 * kMiB);
  options_.recursive = false;
  options_.workers = 2;
  options_.bytes_per_second = 30 * kMiB;
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"large", "s3://bucket/a"}, {"s3://bucket/a", "back"}}) {
    StopAfter soon(8 * kMiB);
    EXPECT_TRUE(Run(from, to, soon).interrupted);
    StopAfter never(200 * kMiB);
    const Summary summary = Run(from, to, never);
    EXPECT_EQ(summary.copied, 1);
    EXPECT_EQ(summary.bytes + summary.resumed_bytes, 30 * kMiB);
    EXPECT_EQ(summary.gone_on_with, summary.resumed_bytes > 0 ? 1 : 0);
  }
  EXPECT_TRUE(Read("back") == bytes);
  EXPECT_TRUE(std::filesystem::is_empty(dir_ / "records"));
}

TEST_P(CopyTest, EachFailedObjectHasOneErrorWithBothEnds) {
  Fill("in/a", 10);
  Fill("in/b", 10);
  const Summary summary = Run("in", "s3://nothing-here/p");
  EXPECT_EQ(summary.failed, 2);
  ASSERT_EQ(summary.failures.size(), 2u);
  EXPECT_THAT(summary.failures[0].error.text, HasSubstr("NoSuchBucket"));
  EXPECT_THAT(summary.failures[0].destination, HasSubstr("s3://nothing-here/p/"));
  EXPECT_EQ(Run("in", "s3://wrong@bucket/p").failures[0].error.code, Code::kDenied);
}

TEST_P(CopyTest, SyncSkipsUnchangedAndDeletesOnlyExtraObjects) {
  Fill("in/a", 10);
  Fill("in/b", 20);
  Fill("out/extra/x", 5);
  options_.skip = Skip::kUnchanged;
  EXPECT_EQ(Run("in", "s3://bucket").copied, 2);
  EXPECT_EQ(Run("in", "s3://bucket").skipped, 2);
  options_.delete_extra = true;
  const Location sources[] = {Place("s3://bucket")};
  const auto refused = Copy(sources, Place("out"), options_, stores_, nobody_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kConflict);
  EXPECT_TRUE(std::filesystem::exists(dir_ / "out/extra/x"));
  // A and b exist now, so x is not the only object.
  const Summary second = Run("s3://bucket", "out");
  EXPECT_EQ(second.deleted, 1);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out/extra"));
}

TEST_P(CopyTest, RemoveReportsEachObject) {
  Fill("in/a", 1);
  Fill("in/b/c", 1);
  Run("in", "s3://bucket/p");
  EXPECT_EQ(Remove(Place("s3://bucket/p"), {.recursive = true, .dry_run = true}, stores_, nobody_),
            2);
  EXPECT_EQ(Remove(Place("s3://bucket/p/a"), {}, stores_, nobody_), 1);
  EXPECT_EQ(Remove(Place("s3://bucket/p/a"), {}, stores_, nobody_).error().code, Code::kNotFound);
  EXPECT_EQ(Remove(Place("s3://bucket/p"), {.recursive = true}, stores_, nobody_), 1);
}

TEST_P(CopyTest, RangesOfAnObjectCanBeRead) {
  const std::string bytes = Fill("f", 3 * kMiB);
  Run("f", "s3://bucket/f");
  Objects objects(stores_, nobody_);
  std::string got;
  const auto take = [&](std::string_view piece) { return !got.append(piece).empty(); };
  ASSERT_TRUE(objects.Read(Place("s3://bucket/f"), kMiB, 7, take));
  EXPECT_EQ(got, bytes.substr(kMiB, 7));
  got.clear();
  ASSERT_TRUE(objects.Read(Place("s3://bucket/f"), 0, -1, take));
  EXPECT_TRUE(got == bytes);
}

TEST_P(CopyTest, OnlyOwnStoreIsReadFromItsFiles) {
  const std::string bytes = Fill("f", 3000);
  Run("f", "s3://bucket/f");
  // A file alone does not prove that the ETag is an MD5; the response over the connection does.
  const auto info = Objects(stores_, nobody_).Stat(Place("s3://bucket/f"));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->etag_is_md5, !GetParam());
  ASSERT_TRUE(info->checksum);
  EXPECT_TRUE(os::ReadFile(dir_ / "objects/bucket/f") == bytes);
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(dir_ / "objects/.muster/inbox")) {
    EXPECT_TRUE(entry.is_directory()) << entry.path();
  }
  // Without proof that both processes mean the same folder, the copy uses the connection.
  ASSERT_TRUE(os::WriteFileAtomic(dir_ / "objects/.muster/near", "another"));
  Run("f", "s3://bucket/g");
  EXPECT_TRUE(Objects(stores_, nobody_).Stat(Place("s3://bucket/g"))->etag_is_md5);
  Run("s3://bucket/g", "back");
  EXPECT_TRUE(Read("back") == bytes);
}

TEST_P(CopyTest, KeysThatXmlCannotRepresentAreCopied) {
  const std::string bytes = Fill("f", 10);
  const Location to{.kind = Location::Kind::kObject, .bucket = "bucket", .key = "bell\a/x"};
  const Location sources[] = {Place("f")};
  const auto summary = Copy(sources, to, options_, stores_, nobody_);
  ASSERT_TRUE(summary) << summary.error().text;
  EXPECT_EQ(summary->copied, 1);
  std::string got;
  ASSERT_TRUE(Objects(stores_, nobody_).Read(to, 0, -1, [&](std::string_view piece) {
    return !got.append(piece).empty();
  }));
  EXPECT_EQ(got, bytes);
}

INSTANTIATE_TEST_SUITE_P(Ways, CopyTest, testing::Bool(),
                         [](const auto& way) { return way.param ? "Shortcut" : "Connection"; });

}  // namespace
}  // namespace muster::transfer
