#include "objects/inbox.h"

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "os/temp_dir.h"

namespace muster::objects {
namespace {

constexpr const char* kName = "0123456789abcdef01234567";

class InboxTest : public testing::Test {
 protected:
  InboxTest() {
    std::filesystem::create_directories(dir_ / "store/.muster");
    const Folder own = Folder::Open(dir_ / "store/.muster").value();
    inbox_.emplace(Inbox::Open(dir_ / "store", own).value());
  }
  os::Path At(const std::string& name) const { return dir_ / "store/.muster/inbox" / name; }
  S3Code Refusal(const std::string& name) const { return inbox_->Take(name).error().code; }

  os::TempDir dir_;
  std::optional<Inbox> inbox_;
};

TEST_F(InboxTest, ProofIsReadableByTheOwnerOnly) {
  const os::Path near = dir_ / "store/.muster/near";
  EXPECT_EQ(os::ReadFile(near), inbox_->proof());
  struct stat info = {};
  ASSERT_EQ(::stat(near.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat(At("").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_F(InboxTest, UploadedFileIsTaken) {
  ASSERT_TRUE(os::WriteFileAtomic(At(kName), "bytes"));
  const auto file = inbox_->Take(kName);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->name(), kName);
  EXPECT_TRUE(std::filesystem::exists(At(kName)));  // until it is moved
}

TEST_F(InboxTest, FileInAClientFolderIsTaken) {
  const std::string name = std::string(kName) + "/" + kName;
  std::filesystem::create_directory(At(kName));
  ASSERT_TRUE(os::WriteFileAtomic(At(name), "bytes"));
  EXPECT_TRUE(inbox_->Take(name));
  EXPECT_EQ(Refusal(name + "/x"), S3Code::kNoSuchUpload);
  EXPECT_EQ(Refusal(std::string(kName) + "/.."), S3Code::kNoSuchUpload);
  inbox_->RemoveAbandoned(int64_t{1} << 52);
  EXPECT_FALSE(std::filesystem::exists(At(kName)));
}

TEST_F(InboxTest, OtherFilesAreRefused) {
  EXPECT_EQ(Refusal(kName), S3Code::kNoSuchUpload);
  for (const char* name : {"", ".", "..", "../near", "../../near", "/etc/passwd",
                           "0123456789abcdef0123456/", "0123456789ABCDEF01234567"}) {
    EXPECT_EQ(Refusal(name), S3Code::kNoSuchUpload) << name;
  }
  ASSERT_TRUE(os::WriteFileAtomic(dir_ / "secret", "secret"));
  ASSERT_EQ(::symlink((dir_ / "secret").c_str(), At(kName).c_str()), 0);
  EXPECT_EQ(Refusal(kName), S3Code::kNoSuchUpload);
  std::filesystem::remove(At(kName));
  ASSERT_EQ(::link((dir_ / "secret").c_str(), At(kName).c_str()), 0);
  EXPECT_EQ(Refusal(kName), S3Code::kNoSuchUpload);  // could be changed through its second name
  std::filesystem::remove(At(kName));
  ASSERT_EQ(::mkfifo(At(kName).c_str(), 0600), 0);
  EXPECT_EQ(Refusal(kName), S3Code::kNoSuchUpload);
  std::filesystem::remove(At(kName));
  std::filesystem::create_directory(At(kName));
  EXPECT_EQ(Refusal(kName), S3Code::kNoSuchUpload);
}

TEST_F(InboxTest, AbandonedFilesAreRemoved) {
  ASSERT_TRUE(os::WriteFileAtomic(At(kName), "bytes"));
  inbox_->RemoveAbandoned(0);
  EXPECT_TRUE(std::filesystem::exists(At(kName)));
  inbox_->RemoveAbandoned(int64_t{1} << 52);
  EXPECT_FALSE(std::filesystem::exists(At(kName)));
}

}  // namespace
}  // namespace muster::objects
