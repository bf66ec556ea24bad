#include "store/code_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <thread>

#include <gmock/gmock.h>

#include "base/clock.h"
#include "os/temp_dir.h"

namespace muster::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CodeFile File(const std::string& path, const std::string& content, bool executable = false) {
  return {path, os::Sha256(content), int64_t(content.size()), executable, ""};
}
CodeFile Link(const std::string& path, const std::string& target) {
  return {path, os::Sha256(target), int64_t(target.size()), false, target};
}

struct stat Info(const os::Path& path) {
  struct stat info{};
  EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
  return info;
}
mode_t Mode(const os::Path& path) { return Info(path).st_mode & 07777; }

class CodeStoreTest : public testing::Test {
 protected:
  Status Put(const std::string& content) {
    MUSTER_ASSIGN(auto upload, store_.Begin(os::Sha256(content), int64_t(content.size())));
    MUSTER_TRY(upload.Write(content));
    return upload.Finish();
  }
  os::Path Blob(const std::string& content) const {
    const std::string sum = os::Sha256(content);
    return Dir() / "blobs" / sum.substr(0, 2) / sum;
  }
  os::Path Dir() const { return folder_ / "code"; }
  // Names in code/ that begin with a dot.
  std::vector<std::string> Leftovers() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(Dir()))
      if (entry.path().filename().string().starts_with('.')) names.push_back(entry.path().string());
    return names;
  }

  os::TempDir folder_;
  CodeStore store_{folder_ / "code"};
};

TEST_F(CodeStoreTest, TreeHasTheFilesModesAndLinksOfItsManifest) {
  ASSERT_TRUE(Put("print(1)"));
  ASSERT_TRUE(Put("#!/bin/sh\n"));
  const CodeManifest manifest{{File("pkg/sub/a.py", "print(1)"), File("b.py", "print(1)"),
                               File("run.sh", "#!/bin/sh\n", true), Link("pkg/l", "../run.sh")}};
  const auto hash = store_.Commit(manifest);
  ASSERT_TRUE(hash) << hash.error().text;
  EXPECT_EQ(*hash, ManifestHash(manifest));
  EXPECT_TRUE(store_.HasTree(*hash));
  const os::Path tree = store_.TreeDir(*hash);
  EXPECT_EQ(os::ReadFile(tree / "pkg/sub/a.py").value(), "print(1)");
  EXPECT_EQ(os::ReadFile(tree / "pkg/l").value(), "#!/bin/sh\n");
  EXPECT_EQ(std::filesystem::read_symlink(tree / "pkg/l"), "../run.sh");
  EXPECT_EQ(Mode(tree / "b.py"), 0444u);
  EXPECT_EQ(Mode(tree / "run.sh"), 0555u);
  EXPECT_EQ(Info(tree / "b.py").st_ino, Info(tree / "pkg/sub/a.py").st_ino) << "stored once";
  EXPECT_THAT(Leftovers(), IsEmpty());
}

TEST_F(CodeStoreTest, ContentMayBeExecutableInOneTreeOnly) {
  ASSERT_TRUE(Put("same"));
  const std::string plain = store_.Commit({{File("a", "same")}}).value();
  const std::string both = store_.Commit({{File("a", "same", true), File("b", "same")}}).value();
  EXPECT_NE(plain, both);
  EXPECT_EQ(Mode(store_.TreeDir(plain) / "a"), 0444u);
  EXPECT_EQ(Mode(store_.TreeDir(both) / "a"), 0555u);
  EXPECT_EQ(Mode(store_.TreeDir(both) / "b"), 0444u);
  EXPECT_EQ(os::ReadFile(store_.TreeDir(both) / "a").value(), "same");
}

TEST_F(CodeStoreTest, SecondCommitReturnsTheSameTree) {
  ASSERT_TRUE(Put("x"));
  const std::string first = store_.Commit({{File("a", "x")}}).value();
  const auto inode = Info(store_.TreeDir(first)).st_ino;
  EXPECT_EQ(store_.Commit({{File("a", "x")}}).value(), first);
  EXPECT_EQ(Info(store_.TreeDir(first)).st_ino, inode);
}

TEST_F(CodeStoreTest, EmptyTreeCanBeCommitted) {
  const auto hash = store_.Commit({});
  ASSERT_TRUE(hash) << hash.error().text;
  EXPECT_TRUE(store_.HasTree(*hash));
}

TEST_F(CodeStoreTest, MissingListsEachHashOnceWithoutLinks) {
  ASSERT_TRUE(Put("there"));
  const CodeManifest manifest{
      {File("a", "there"), File("b", "gone"), File("c", "gone", true), Link("l", "a")}};
  EXPECT_THAT(store_.Missing(manifest), ElementsAre(os::Sha256("gone")));
}

TEST_F(CodeStoreTest, CommitNamesMissingBlobsAndCreatesNothing) {
  ASSERT_TRUE(Put("there"));
  CodeManifest manifest{{File("a", "there")}};
  for (int i = 0; i < 5; ++i)
    manifest.files.push_back(File("f" + std::to_string(i), "gone" + std::to_string(i)));
  const auto hash = store_.Commit(manifest);
  ASSERT_FALSE(hash);
  EXPECT_EQ(hash.error().code, Code::kNotFound);
  EXPECT_THAT(hash.error().text, HasSubstr(os::Sha256("gone0")));
  EXPECT_THAT(hash.error().text, HasSubstr("2 more"));
  EXPECT_FALSE(store_.HasTree(ManifestHash(manifest)));
  EXPECT_THAT(Leftovers(), IsEmpty());
}

TEST_F(CodeStoreTest, CommitRejectsAWrongSize) {
  ASSERT_TRUE(Put("abc"));
  CodeManifest manifest{{File("pkg/a", "abc")}};
  manifest.files[0].size = 4;
  const auto hash = store_.Commit(manifest);
  ASSERT_FALSE(hash);
  EXPECT_EQ(hash.error().code, Code::kInvalid);
  EXPECT_THAT(hash.error().text, HasSubstr("\"pkg/a\""));
}

TEST_F(CodeStoreTest, CommitRejectsAnUncheckedManifest) {
  ASSERT_TRUE(Put("abc"));
  EXPECT_EQ(store_.Commit({{File("../a", "abc")}}).error().code, Code::kInvalid);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a"));
}

TEST_F(CodeStoreTest, FailedCommitLeavesNothing) {
  ASSERT_TRUE(Put("abc"));
  // A folder in place of a blob passes the check of names and fails at the link.
  ASSERT_TRUE(os::MakeDirs(Blob("dir")));
  CodeManifest manifest{{File("a", "abc"), File("b", "dir")}};
  manifest.files[1].size = int64_t(Info(Blob("dir")).st_size);
  EXPECT_FALSE(store_.Commit(manifest));
  EXPECT_FALSE(store_.HasTree(ManifestHash(manifest)));
  EXPECT_THAT(Leftovers(), IsEmpty());
}

TEST_F(CodeStoreTest, TextThatIsNotAHashIsNotATree) {
  for (const char* hash : {"", ".", "..", "blobs", "../x", "ABCDEF", "/etc"}) {
    EXPECT_FALSE(store_.HasTree(hash)) << hash;
    EXPECT_EQ(store_.TreeDir(hash), os::Path()) << hash;
  }
}

TEST_F(CodeStoreTest, FilesAreCopiedIfLinksAreImpossible) {
  ASSERT_TRUE(Put("abc"));
  std::string elsewhere = "/dev/shm/muster-store-XXXXXX";
  ASSERT_NE(::mkdtemp(elsewhere.data()), nullptr);
  if (Info(elsewhere).st_dev == Info(Dir()).st_dev) {
    std::filesystem::remove(elsewhere);
    GTEST_SKIP() << "the folder for temporary files is on /dev/shm";
  }
  std::filesystem::copy(Dir() / "blobs", elsewhere, std::filesystem::copy_options::recursive);
  std::filesystem::remove_all(Dir() / "blobs");
  std::filesystem::create_symlink(elsewhere, Dir() / "blobs");
  const auto hash = store_.Commit({{File("a", "abc")}});
  std::filesystem::remove_all(elsewhere);
  ASSERT_TRUE(hash) << hash.error().text;
  EXPECT_EQ(os::ReadFile(store_.TreeDir(*hash) / "a").value(), "abc");
  EXPECT_EQ(Mode(store_.TreeDir(*hash) / "a"), 0444u);
}

TEST_F(CodeStoreTest, UploadInPiecesIsStoredUnderItsHash) {
  const std::string content = std::string(300'000, 'a') + "end";
  auto upload = store_.Begin(os::Sha256(content), int64_t(content.size()));
  ASSERT_TRUE(upload);
  for (size_t at = 0; at < content.size(); at += 7'001)
    ASSERT_TRUE(upload->Write(std::string_view(content).substr(at, 7'001)));
  EXPECT_FALSE(std::filesystem::exists(Blob(content))) << "not before it is whole";
  ASSERT_TRUE(upload->Finish());
  EXPECT_EQ(os::ReadFile(Blob(content)).value(), content);
  EXPECT_EQ(Mode(Blob(content)), 0444u);
  EXPECT_THAT(Leftovers(), IsEmpty());
}

TEST_F(CodeStoreTest, EmptyFileCanBeUploaded) {
  ASSERT_TRUE(Put(""));
  EXPECT_THAT(store_.Missing({{File("a", "")}}), IsEmpty());
}

TEST_F(CodeStoreTest, MoreBytesThanDeclaredAreRejected) {
  auto upload = store_.Begin(os::Sha256("abc"), 3);
  ASSERT_TRUE(upload);
  ASSERT_TRUE(upload->Write("ab"));
  EXPECT_EQ(upload->Write("cd").error().code, Code::kTooLarge);
  EXPECT_EQ(upload->Write("c").error().code, Code::kConflict) << "it is over then";
  EXPECT_FALSE(upload->Finish());
  EXPECT_FALSE(std::filesystem::exists(Blob("abc")));
}

TEST_F(CodeStoreTest, FewerBytesThanDeclaredAreCorrupt) {
  auto upload = store_.Begin(os::Sha256("abc"), 3);
  ASSERT_TRUE(upload);
  ASSERT_TRUE(upload->Write("ab"));
  const Status status = upload->Finish();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kCorrupt);
  EXPECT_THAT(status.error().text, HasSubstr("2 of 3 bytes"));
}

TEST_F(CodeStoreTest, WrongHashIsCorruptAndLeavesNothing) {
  {
    auto upload = store_.Begin(os::Sha256("abc"), 3);
    ASSERT_TRUE(upload);
    ASSERT_TRUE(upload->Write("abd"));
    EXPECT_EQ(upload->Finish().error().code, Code::kCorrupt);
  }
  EXPECT_FALSE(std::filesystem::exists(Blob("abc")));
  EXPECT_THAT(Leftovers(), IsEmpty());
}

TEST_F(CodeStoreTest, DroppedUploadLeavesNothing) {
  {
    auto upload = store_.Begin(os::Sha256("abc"), 3);
    ASSERT_TRUE(upload);
    ASSERT_TRUE(upload->Write("ab"));
    const auto moved = std::move(*upload);
  }
  EXPECT_THAT(Leftovers(), IsEmpty());
}

TEST_F(CodeStoreTest, HostileUploadsAreRejectedBeforeAWrite) {
  EXPECT_EQ(store_.Begin("../../etc/passwd", 3).error().code, Code::kInvalid);
  EXPECT_EQ(store_.Begin("", 3).error().code, Code::kInvalid);
  EXPECT_EQ(store_.Begin(std::string(64, 'G'), 3).error().code, Code::kInvalid);
  EXPECT_EQ(store_.Begin(os::Sha256("a"), -1).error().code, Code::kInvalid);
  EXPECT_EQ(store_.Begin(os::Sha256("a"), INT64_MAX).error().code, Code::kTooLarge);
  EXPECT_FALSE(std::filesystem::exists(Dir()));
}

TEST_F(CodeStoreTest, ConcurrentUploadsOfOneBlobSucceed) {
  auto first = store_.Begin(os::Sha256("abc"), 3);
  auto second = store_.Begin(os::Sha256("abc"), 3);
  ASSERT_TRUE(first && second);
  ASSERT_TRUE(first->Write("abc"));
  ASSERT_TRUE(second->Write("ab"));
  ASSERT_TRUE(first->Finish());
  const auto inode = Info(Blob("abc")).st_ino;
  ASSERT_TRUE(second->Write("c"));
  EXPECT_TRUE(second->Finish());
  EXPECT_EQ(Info(Blob("abc")).st_ino, inode);
}

TEST_F(CodeStoreTest, ConcurrentUploadsAndCommitsSucceed) {
  const CodeManifest manifest{{File("a", "one"), File("b", "two", true), File("c/d", "two")}};
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (const char* content : {"one", "two"}) failed += !Put(content);
        failed += !store_.Commit(manifest);
      });
    }
  }
  EXPECT_EQ(failed, 0);
  EXPECT_TRUE(store_.HasTree(ManifestHash(manifest)));
  EXPECT_THAT(Leftovers(), IsEmpty());
}

TEST_F(CodeStoreTest, CleanTemporaryRemovesOnlyLeftovers) {
  ASSERT_TRUE(Put("abc"));
  const std::string hash = store_.Commit({{File("a", "abc")}}).value();
  ASSERT_TRUE(os::MakeDirs(Dir() / ".tmp-1/sub"));
  std::ofstream(Dir() / ".tmp-1/sub/f") << "x";
  std::ofstream(Dir() / ".tmp-2") << "half an upload";
  ASSERT_TRUE(store_.CleanTemporary());
  EXPECT_THAT(Leftovers(), IsEmpty());
  EXPECT_TRUE(store_.HasTree(hash));
  EXPECT_TRUE(std::filesystem::exists(Blob("abc")));
}

TEST_F(CodeStoreTest, CleanTemporaryAcceptsAMissingFolder) { EXPECT_TRUE(store_.CleanTemporary()); }

class CollectTest : public CodeStoreTest {
 protected:
  static constexpr int64_t kMinute = 60'000;
  std::string Make(const std::vector<std::string>& contents) {
    CodeManifest manifest;
    for (const std::string& content : contents) {
      EXPECT_TRUE(Put(content));
      manifest.files.push_back(File("f" + std::to_string(manifest.files.size()), content));
    }
    return store_.Commit(manifest).value();
  }
  CodeStore::Freed After(int64_t ms, const std::set<std::string>& used = {}) {
    const auto is_used = [&](const std::string& hash) -> Result<bool> {
      return used.contains(hash);
    };
    return store_.Collect(is_used, SystemClock().WallMs() + ms).value();
  }
  bool HasBlob(const std::string& content) {
    return store_.Missing({{File("f", content)}}).empty();
  }
};

TEST_F(CollectTest, UnusedTreesAndTheirBlobsAreRemoved) {
  const std::string kept = Make({"shared", "kept"}), gone = Make({"shared", "gone"});
  const auto freed = After(11 * kMinute, {kept});
  EXPECT_EQ(freed.trees, 1);
  EXPECT_EQ(freed.blobs, 1);
  EXPECT_EQ(freed.bytes, 4);
  EXPECT_TRUE(store_.HasTree(kept));
  EXPECT_FALSE(store_.HasTree(gone));
  EXPECT_TRUE(HasBlob("shared") && HasBlob("kept"));
  EXPECT_FALSE(HasBlob("gone"));
}

TEST_F(CollectTest, RecentlyUsedContentIsKept) {
  const std::string hash = Make({"a"});
  ASSERT_TRUE(Put("sent, and no tree yet"));
  EXPECT_EQ(After(9 * kMinute).trees, 0);
  EXPECT_EQ(After(11 * kMinute, {hash}).blobs, 0);
  EXPECT_TRUE(HasBlob("sent, and no tree yet"));
  EXPECT_EQ(After(25 * 60 * kMinute, {hash}).blobs, 1);
  EXPECT_FALSE(HasBlob("sent, and no tree yet"));
}

TEST_F(CollectTest, ClaimResetsTheAgeOfATree) {
  const std::string hash = Make({"a"});
  const timespec old[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, store_.TreeDir(hash).c_str(), old, 0), 0);
  EXPECT_TRUE(store_.Claim(hash));
  EXPECT_FALSE(store_.Claim(std::string(64, '0')));
  EXPECT_EQ(After(0).trees, 0);
  ASSERT_EQ(::utimensat(AT_FDCWD, store_.TreeDir(hash).c_str(), old, 0), 0);
  EXPECT_EQ(After(0).trees, 1);
}

TEST_F(CollectTest, NothingIsRemovedIfUsageIsUnknown) {
  const std::string hash = Make({"a"});
  const auto unknown = [](const std::string&) -> Result<bool> { return Fail(Code::kIo, "no"); };
  EXPECT_FALSE(store_.Collect(unknown, SystemClock().WallMs() + 60 * kMinute));
  EXPECT_TRUE(store_.HasTree(hash));
}

}  // namespace
}  // namespace muster::store
