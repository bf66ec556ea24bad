#include "objects/object_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <thread>

#include <gmock/gmock.h>

#include "objects/sample_pieces.h"
#include "objects/uploads.h"
#include "os/temp_dir.h"

namespace muster::objects {
namespace {

using testing::HasSubstr;
using testing::Not;

class ObjectStoreTest : public testing::TestWithParam<bool> {
 protected:
  ObjectStoreTest() : store_(ObjectStore::Open(dir_ / "objects", GetParam()).value()) {
    EXPECT_TRUE(store_->MakeBucket("bucket"));
  }
  S3Result<ObjectMeta> Put(const std::string& key, std::string_view bytes, ObjectMeta meta = {},
                           WriteCondition condition = {}) {
    TempFile file = store_->NewFile().value();
    EXPECT_TRUE(file.Write(bytes));
    meta.etag = s3::Hex(s3::DigestOf(s3::DigestKind::kMd5, bytes));
    std::promise<S3Result<ObjectMeta>> promise;
    store_->Put("bucket", key, std::move(file), std::move(meta), std::move(condition),
                [&](S3Result<ObjectMeta> put) { promise.set_value(std::move(put)); });
    return promise.get_future().get();
  }
  std::string Get(const std::string& key) {
    const auto object = store_->Find("bucket", key);
    if (!object) return std::string(CodeNameOf(object.error().code));
    std::string bytes(static_cast<size_t>(object->meta.size), 0);
    EXPECT_EQ(::pread(object->file.get(), bytes.data(), bytes.size(), 0), ssize_t(bytes.size()));
    return bytes;
  }
  std::vector<S3Status> Remove(std::vector<Removal> removals) {
    std::promise<std::vector<S3Status>> promise;
    store_->Remove("bucket", std::move(removals),
                   [&](std::vector<S3Status> statuses) { promise.set_value(std::move(statuses)); });
    return promise.get_future().get();
  }
  S3Status RemoveIfStill(const std::string& key, const std::string& etag) {
    return Remove({{key, {.if_match = etag}}})[0];
  }
  S3Result<ObjectMeta> Append(const std::string& key, int64_t position, std::string_view bytes) {
    TempFile file = store_->NewFile().value();
    EXPECT_TRUE(file.Write(bytes));
    return store_->Append("bucket", key, position, std::move(file),
                          s3::DigestOf(s3::DigestKind::kMd5, bytes), {});
  }

  os::TempDir dir_;
  std::unique_ptr<ObjectStore> store_;
};
INSTANTIATE_TEST_SUITE_P(SyncedAndNot, ObjectStoreTest, testing::Bool());

ObjectMeta FullMeta() {
  ObjectMeta meta;
  meta.content_type = "text/x";
  meta.headers = {{"Cache-Control", "no\tcache%"}};
  meta.user = {{"name", "bytes \xff\n"}, {"empty", ""}};
  meta.tags = {{"t", "1"}};
  meta.checksum = s3::Checksum{s3::DigestKind::kCrc32, "AAAAAA==", false};
  return meta;
}

void ExpectFullMeta(const ObjectMeta& meta) {
  const ObjectMeta wanted = FullMeta();
  EXPECT_EQ(meta.content_type, wanted.content_type);
  EXPECT_EQ(meta.headers, wanted.headers);
  EXPECT_EQ(meta.user, wanted.user);
  EXPECT_EQ(meta.tags, wanted.tags);
  ASSERT_TRUE(meta.checksum);
  EXPECT_EQ(meta.checksum->value, wanted.checksum->value);
}

TEST_P(ObjectStoreTest, MetadataIsKept) {
  ASSERT_TRUE(Put("k", "bytes", FullMeta()));
  const auto object = store_->Find("bucket", "k");
  ASSERT_TRUE(object);
  ExpectFullMeta(object->meta);
  EXPECT_EQ(object->meta.etag, s3::Hex(s3::DigestOf(s3::DigestKind::kMd5, "bytes")));
}

TEST_P(ObjectStoreTest, MissingBucketPrecedesMissingKey) {
  const auto code = [&](const std::string& bucket, const std::string& key) {
    return store_->Find(bucket, key).error().code;
  };
  EXPECT_EQ(code("bucket", "none"), S3Code::kNoSuchKey);
  EXPECT_EQ(code("bucket", "none/below"), S3Code::kNoSuchKey);
  EXPECT_EQ(code("nobody", "none"), S3Code::kNoSuchBucket);
  EXPECT_EQ(code(".muster", "keys.json"), S3Code::kInvalidBucketName);
  std::filesystem::create_symlink(dir_ / "objects/bucket", dir_ / "objects/linked");
  Put("there", "bytes");
  EXPECT_EQ(code("linked", "there"), S3Code::kNoSuchBucket);
}

TEST_P(ObjectStoreTest, MetadataLargerThanAnAttributeIsKept) {
  ObjectMeta meta = FullMeta();
  for (int i = 0; i < 100; ++i)
    meta.user.emplace_back("n" + std::to_string(i), std::string(300, 'v'));
  ASSERT_TRUE(Put("k", "bytes", meta));
  EXPECT_EQ(store_->Find("bucket", "k")->meta.user, meta.user);
  const os::Path beside = dir_ / "objects/.muster/meta";
  ASSERT_TRUE(Put("k", "other", {}));
  EXPECT_TRUE(store_->Find("bucket", "k")->meta.user.empty());
  EXPECT_TRUE(std::filesystem::is_empty(beside)) << "what nobody needs any more is removed";
}

TEST_P(ObjectStoreTest, FileChangedByAnotherProgramHasNoMetadata) {
  ASSERT_TRUE(Put("k", "bytes", FullMeta()));
  const os::Fd file(::open((dir_ / "objects/bucket/k").c_str(), O_WRONLY | O_APPEND));
  ASSERT_EQ(::write(file.get(), "!", 1), 1);
  const auto object = store_->Find("bucket", "k");
  ASSERT_TRUE(object);
  EXPECT_EQ(object->meta.size, 6);
  EXPECT_TRUE(object->meta.user.empty());
  EXPECT_TRUE(object->meta.etag.ends_with("-1"));
}

TEST_P(ObjectStoreTest, ConcurrentWritersLeaveEveryObjectComplete) {
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 25; ++i) {
          const std::string key = "d" + std::to_string(i % 3) + "/k" + std::to_string(i % 5);
          if (!Put(key, std::string(1000, static_cast<char>('a' + t)))) ++failed;
        }
      });
    }
  }
  EXPECT_EQ(failed, 0);
  const auto page = store_->List("bucket", {});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->keys.size(), 15u);
  for (const ListedKey& listed : page->keys) {
    const std::string bytes = Get(listed.key);
    EXPECT_EQ(bytes, std::string(1000, bytes[0]));
    EXPECT_EQ(listed.etag, s3::Hex(s3::DigestOf(s3::DigestKind::kMd5, bytes)));
  }
}

TEST_P(ObjectStoreTest, OneOfManyConditionalCreatesSucceeds) {
  std::atomic<int> made = 0, refused = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        const auto put = Put("once", std::to_string(t), {}, {.if_none_match = "*"});
        ++(put ? made : refused);
        if (!put) EXPECT_EQ(put.error().code, S3Code::kPreconditionFailed);
      });
    }
  }
  EXPECT_EQ(made, 1);
  EXPECT_EQ(refused, 7);
}

TEST_P(ObjectStoreTest, RemovedKeysAndEmptyFoldersAreGone) {
  for (const char* key : {"a", "a/b/c", "a/b/d"}) ASSERT_TRUE(Put(key, key));
  for (const S3Status& status : Remove({{"a/b/c"}, {"never"}, {"a/b/d"}})) EXPECT_TRUE(status);
  EXPECT_EQ(Get("a/b/c"), "NoSuchKey");
  EXPECT_EQ(Get("a"), "a");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "objects/bucket/a"));
}

TEST_P(ObjectStoreTest, ConditionalRemoveAndWriteExcludeEachOther) {
  for (int i = 0; i < 50; ++i) {
    const std::string etag = Put("k", std::to_string(i))->etag;
    bool removed = false, written = false;
    {
      const std::jthread other([&] { removed = RemoveIfStill("k", etag).has_value(); });
      written = Put("k", "new", {}, {.if_match = etag}).has_value();
    }
    EXPECT_NE(removed, written);
    EXPECT_EQ(Get("k"), written ? "new" : "NoSuchKey");
  }
}

TEST_P(ObjectStoreTest, AppendToAConditionallyRemovedObjectFails) {
  const std::string piece(1 << 20, 'x');
  for (int i = 0; i < 50; ++i) {
    const auto first = Append("log", 0, "first");
    ASSERT_TRUE(first);
    bool removed = false, grown = false;
    {
      const std::jthread other([&] { grown = Append("log", 5, piece).has_value(); });
      removed = RemoveIfStill("log", first->etag).has_value();
    }
    EXPECT_NE(removed, grown);
    EXPECT_TRUE(Get("log") == (grown ? "first" + piece : "NoSuchKey"));
    for (const S3Status& status : Remove({{"log"}})) EXPECT_TRUE(status);
  }
}

TEST_P(ObjectStoreTest, OnlyAnEmptyBucketIsRemoved) {
  ASSERT_TRUE(Put("k", ""));
  EXPECT_EQ(store_->RemoveBucket("bucket").error().code, S3Code::kBucketNotEmpty);
  ASSERT_TRUE(os::MakeDirs(dir_ / "objects/other/empty/folders"));
  EXPECT_TRUE(store_->RemoveBucket("other")) << "folders are no objects";
  EXPECT_EQ(store_->RemoveBucket("other").error().code, S3Code::kNoSuchBucket);
  EXPECT_EQ(store_->MakeBucket("NotAName").error().code, S3Code::kInvalidBucketName);
  EXPECT_EQ(store_->OpenBucket(".muster").error().code, S3Code::kInvalidBucketName);
}

TEST_P(ObjectStoreTest, FileThatPreventsBucketRemovalIsNamed) {
  const os::Path folder = dir_ / "objects/bucket";
  ASSERT_TRUE(os::MakeDirs(folder / "b/empty"));
  const auto refusal = [&] {
    const auto removed = store_->RemoveBucket("bucket");
    EXPECT_EQ(removed.error().code, S3Code::kBucketNotEmpty);
    return removed.error().message;
  };
  const auto named = [](const std::string& name) { return HasSubstr("\"" + name + "\" is in"); };
  std::filesystem::create_symlink("/nowhere", folder / "b/link\x1b[2J");
  EXPECT_THAT(refusal(), named("b/link")) << "safe on a terminal";
  ASSERT_EQ(::mkfifo((folder / "a-pipe").c_str(), 0600), 0);
  EXPECT_THAT(refusal(), named("a-pipe"));
  ASSERT_TRUE(os::WriteFileAtomic(folder / "%=weird", "", 0644, false));
  EXPECT_THAT(refusal(), named("%=weird"));
  ASSERT_TRUE(Put("k", ""));
  EXPECT_THAT(refusal(), Not(HasSubstr("weird"))) << "objects come first";
  EXPECT_TRUE(Remove({{"k"}})[0]);
  for (const char* name : {"%=weird", "a-pipe", "b/link\x1b[2J"}) {
    std::filesystem::remove(folder / name);
  }
  EXPECT_TRUE(store_->RemoveBucket("bucket"));
}

TEST_P(ObjectStoreTest, AppendPositionIsTheObjectSize) {
  EXPECT_EQ(Append("log", 5, "x").error().code, S3Code::kPositionNotEqualToLength);
  ASSERT_TRUE(Append("log", 0, "one"));
  EXPECT_EQ(Append("log", 0, "x").error().code, S3Code::kPositionNotEqualToLength);
  const auto grown = Append("log", 3, "two");
  ASSERT_TRUE(grown);
  EXPECT_EQ(grown->size, 6);
  EXPECT_EQ(Get("log"), "onetwo");
  ASSERT_TRUE(Put("whole", "x"));
  EXPECT_EQ(Append("whole", 1, "x").error().code, S3Code::kObjectNotAppendable);
}

TEST_P(ObjectStoreTest, TemporaryFilesOfAKilledServerAreRemoved) {
  const os::Path received = dir_ / "objects/.muster/tmp/folder/abc";
  std::filesystem::create_directory(received.parent_path());
  const os::Path written = dir_ / "objects/.muster" / os::TemporaryName();
  for (const os::Path& left : {received, written}) {
    ASSERT_TRUE(os::WriteFileAtomic(left, "half", 0644, false));
  }
  store_.reset();
  store_ = ObjectStore::Open(dir_ / "objects", GetParam()).value();
  EXPECT_FALSE(std::filesystem::exists(received.parent_path()));
  EXPECT_FALSE(std::filesystem::exists(written));
}

TEST_P(ObjectStoreTest, LargeMultipartObjectIsCompleteWithMetadata) {
  const std::string piece(s3::Piece::kMost, 'x');
  std::string all;
  TempFile file = store_->NewFile().value();
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(file.Write(PieceOf(piece)));
    all += piece;
  }
  ASSERT_TRUE(file.Write(PieceOf("the rest")));
  std::promise<S3Result<ObjectMeta>> promise;
  store_->Put("bucket", "k", std::move(file), ObjectMeta{.etag = "e"}, {},
              [&](S3Result<ObjectMeta> put) { promise.set_value(std::move(put)); });
  const auto put = promise.get_future().get();
  ASSERT_TRUE(put);
  EXPECT_EQ(put->size, std::ssize(all) + 8);
  EXPECT_EQ(store_->Find("bucket", "k")->meta.etag, "e") << "it was written to after that";
  EXPECT_TRUE(Get("k") == all + "the rest");
}

TEST_P(ObjectStoreTest, DroppedPartDoesNotAffectItsReplacement) {
  auto uploads = Uploads::Open(*store_, dir_ / "objects/.muster/uploads").value();
  const auto upload = uploads->Create({.bucket = "bucket", .key = "k", .created_ms = 1}).value();
  const std::string old(s3::Piece::kMost, 'o'), now(s3::Piece::kMost, 'n');
  constexpr int64_t kPart = 5 << 20;
  for (int round = 0; round < 10; ++round) {
    const auto dropped = upload->Begin(1, kPart).value();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(dropped->Write(PieceOf(old)));
  }
  const auto writer = upload->Begin(1, kPart).value();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(writer->Write(PieceOf(now)));
  std::promise<S3Result<Part>> promise;
  writer->Finish({.size = kPart, .md5 = std::string(16, 'm')},
                 [&](S3Result<Part> part) { promise.set_value(std::move(part)); });
  ASSERT_TRUE(promise.get_future().get());
  const auto whole = upload->Assemble(upload->Parts());
  ASSERT_TRUE(whole);
  std::string bytes(kPart, 0);
  ASSERT_EQ(::pread(whole->fd(), bytes.data(), bytes.size(), 0), kPart);
  EXPECT_TRUE(bytes == std::string(kPart, 'n'));
}

TEST_P(ObjectStoreTest, UploadsAreFoundAgainAndAbandonedOnesRemoved) {
  const os::Path folder = dir_ / "objects/.muster/uploads";
  auto uploads = Uploads::Open(*store_, folder).value();
  const auto upload = uploads->Create({.bucket = "bucket", .key = "k", .created_ms = 1000}).value();
  const std::string id = upload->start().id;
  {
    const auto writer = upload->Begin(1, 5).value();
    ASSERT_TRUE(writer->Write(PieceOf("bytes")));
    std::promise<S3Result<Part>> promise;
    writer->Finish({.size = 5, .md5 = s3::DigestOf(s3::DigestKind::kMd5, "bytes")},
                   [&](S3Result<Part> part) { promise.set_value(std::move(part)); });
    ASSERT_TRUE(promise.get_future().get());
  }
  {
    const auto cut = upload->Begin(2, 5).value();
  }
  // A line torn by a crash is ignored, and later lines are read.
  const os::Fd log(::open((folder / id / "parts").c_str(), O_WRONLY | O_APPEND));
  ASSERT_EQ(::write(log.get(), "2 5 1 00", 8), 8);
  uploads = Uploads::Open(*store_, folder).value();
  const auto found = uploads->Find("bucket", "k", id);
  ASSERT_TRUE(found);
  {
    const auto writer = (*found)->Begin(3, 2).value();
    ASSERT_TRUE(writer->Write(PieceOf("xy")));
    std::promise<S3Result<Part>> promise;
    writer->Finish({.size = 2, .md5 = s3::DigestOf(s3::DigestKind::kMd5, "xy")},
                   [&](S3Result<Part> part) { promise.set_value(std::move(part)); });
    ASSERT_TRUE(promise.get_future().get());
  }
  uploads = Uploads::Open(*store_, folder).value();
  const auto again = uploads->Find("bucket", "k", id);
  ASSERT_TRUE(again);
  ASSERT_EQ((*again)->Parts().size(), 2u);
  EXPECT_EQ((*again)->Parts()[1].number, 3);
  const auto whole = (*again)->Assemble({(*again)->Parts()[0], (*again)->Parts()[1]});
  ASSERT_TRUE(whole);
  std::string bytes(8, 0);
  bytes.resize(static_cast<size_t>(::pread(whole->fd(), bytes.data(), bytes.size(), 0)));
  EXPECT_EQ(bytes, "bytesxy");
  EXPECT_EQ(uploads->Find("bucket", "other", id).error().code, S3Code::kNoSuchUpload);
  uploads->AbortAbandoned(2000);
  EXPECT_TRUE(uploads->Find("bucket", "k", id)) << "its part is younger";
  uploads->AbortAbandoned(INT64_MAX);
  EXPECT_FALSE(uploads->Find("bucket", "k", id));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

}  // namespace
}  // namespace muster::objects
