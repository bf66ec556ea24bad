#include "objects/object_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "objects/bucket_rest.h"
#include "objects/folder_set.h"
#include "objects/placement.h"
#include "objects/s3_request.h"
#include "os/file.h"
#include "os/journal.h"

namespace muster::objects {
namespace {

constexpr int kSyncThreads = 2;
constexpr int kWriteThreads = 4;

CommitQueue::Sync HowToSync(bool sync, const Folder& root) {
  if (!sync) return CommitQueue::Sync::kNone;
  return os::JournalKeepsOrder(root.fd()) ? CommitQueue::Sync::kByJournal
                                          : CommitQueue::Sync::kFilesFirst;
}

S3Result<os::Fd> DuplicateFd(int fd) {
  os::Fd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!copy) return std::unexpected(S3Error(FailErrno(errno, "keep a folder open").error()));
  return copy;
}

S3Result<std::vector<os::Fd>> Only(os::Fd fd) {
  std::vector<os::Fd> one;
  one.push_back(std::move(fd));
  return one;
}

}  // namespace

ObjectStore::ObjectStore(Folder root, Folder own, std::unique_ptr<TempFolders> temporary,
                         MetaFiles meta, bool sync)
    : root_(std::move(root)),
      own_(std::move(own)),
      temporary_(std::move(temporary)),
      meta_(std::move(meta)),
      direct_(sync ? std::make_unique<DirectWrites>(kWriteThreads) : nullptr),
      commits_(HowToSync(sync, root_), kSyncThreads) {}

Result<std::unique_ptr<ObjectStore>> ObjectStore::Open(const os::Path& root, bool sync) {
  MUSTER_TRY(os::MakeDirs(root));
  MUSTER_ASSIGN(Folder folder, Folder::Open(root));
  MUSTER_ASSIGN(Folder own, folder.MakeSub(".muster", 0700));
  // Left by a server that was killed while it wrote a setting.
  os::RemoveTemporaries(root / ".muster");
  MUSTER_ASSIGN(Folder received, own.MakeSub("tmp", 0700));
  MUSTER_ASSIGN(auto temporary, TempFolders::Open(std::move(received), root / ".muster/tmp"));
  MUSTER_ASSIGN(Folder meta_folder, own.MakeSub("meta", 0700));
  MUSTER_ASSIGN(MetaFiles meta, MetaFiles::Open(std::move(meta_folder)));
  return std::unique_ptr<ObjectStore>(new ObjectStore(std::move(folder), std::move(own),
                                                      std::move(temporary), std::move(meta), sync));
}

S3Result<Folder> ObjectStore::OwnFolder(const std::string& sub) const {
  MUSTER_ASSIGN(Folder folder, own_.MakeSub(sub, 0700));
  return folder;
}

S3Result<std::vector<BucketInfo>> ObjectStore::Buckets() const {
  MUSTER_ASSIGN(const FolderEntries entries, FolderEntries::Read(root_));
  std::vector<BucketInfo> buckets;
  for (size_t i = 0; i < entries.size(); ++i) {
    const FolderEntries::Entry entry = entries[i];
    const std::string name(entry.name.substr(0, entry.name.size() - 1));
    if (!entry.is_folder() || !IsBucketName(name)) continue;
    struct statx info{};
    if (::statx(root_.fd(), name.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME | STATX_CTIME, &info) !=
        0) {
      continue;
    }
    const statx_timestamp& born =
        (info.stx_mask & STATX_BTIME) != 0 ? info.stx_btime : info.stx_ctime;
    buckets.push_back({name, born.tv_sec * 1000 + born.tv_nsec / 1'000'000});
  }
  std::ranges::sort(buckets, {}, &BucketInfo::name);
  return buckets;
}

S3Result<Folder> ObjectStore::OpenBucket(const std::string& name) const {
  if (!IsBucketName(name)) return Refuse(S3Code::kInvalidBucketName);
  auto folder = root_.Sub(name);
  if (folder) return std::move(*folder);
  const int cause = folder.error().sys;
  if (cause == ENOENT || cause == ENOTDIR || cause == ELOOP) return Refuse(S3Code::kNoSuchBucket);
  return std::unexpected(S3Error(folder.error()));
}

S3Result<bool> ObjectStore::MakeBucket(const std::string& name) {
  if (!IsBucketName(name)) return Refuse(S3Code::kInvalidBucketName);
  bool fresh = false;
  MUSTER_TRY(commits_.Run({}, [&]() -> S3Result<std::vector<os::Fd>> {
    fresh = ::mkdirat(root_.fd(), name.c_str(), 0755) == 0;
    if (!fresh && errno != EEXIST) {
      return std::unexpected(S3Error(FailErrno(errno, "make the bucket " + name).error()));
    }
    MUSTER_ASSIGN(os::Fd root, DuplicateFd(root_.fd()));
    return Only(std::move(root));
  }));
  MUSTER_TRY(OpenBucket(name));
  return fresh;
}

S3Status ObjectStore::RemoveBucket(const std::string& name) {
  MUSTER_TRY(OpenBucket(name));
  return commits_.Run({}, [&]() -> S3Result<std::vector<os::Fd>> {
    const MutexLock lock(places_);
    MUSTER_ASSIGN(const ListPage page, List(name, {.most = 1}));
    if (!page.keys.empty()) return Refuse(S3Code::kBucketNotEmpty);
    const os::Path folder = os::Path("/proc/self/fd") / std::to_string(root_.fd()) / name;
    RemoveEmptyFolders(folder);
    if (::unlinkat(root_.fd(), name.c_str(), AT_REMOVEDIR) != 0) {
      if (errno == ENOTEMPTY) return Refuse(S3Code::kBucketNotEmpty, WhatIsLeft(folder));
      return std::unexpected(S3Error(FailErrno(errno, "remove the bucket " + name).error()));
    }
    MUSTER_ASSIGN(os::Fd root, DuplicateFd(root_.fd()));
    return Only(std::move(root));
  });
}

S3Result<Object> ObjectStore::Find(const std::string& bucket, const std::string& key) const {
  if (!IsBucketName(bucket)) return Refuse(S3Code::kInvalidBucketName);
  auto file = OpenPlaced(root_, bucket, key, O_RDONLY);
  if (!file) {
    MUSTER_TRY(OpenBucket(bucket));  // a missing bucket has precedence
    return std::unexpected(file.error());
  }
  ObjectMeta meta = meta_.Load(file->fd.get(), file->info);
  return Object{std::move(file->fd), std::move(meta)};
}

S3Result<TempFile> ObjectStore::NewFile(std::optional<int64_t> length) const {
  MUSTER_ASSIGN(auto folder, temporary_->ForOneFile());
  MUSTER_ASSIGN(TempFile file, TempFile::Make(std::move(folder), direct_.get(), length));
  return file;
}

S3Result<std::vector<os::Fd>> ObjectStore::Place(const std::string& bucket, const std::string& key,
                                                 TempFile& file, const WriteCondition& condition) {
  const MutexLock lock(places_);
  MUSTER_ASSIGN(const Folder folder, OpenBucket(bucket));
  if (condition.any() || meta_.in_use()) {
    const auto old = Find(bucket, key);
    MUSTER_TRY(condition.Check(old ? &old->meta : nullptr));
    if (old) meta_.Forget(old->file.get());
  }
  MUSTER_ASSIGN(std::vector<os::Fd> changed, PlaceFile(file, folder, key));
  return changed;
}

S3Result<std::vector<os::Fd>> ObjectStore::Complete(NewObject& object) {
  if (object.file.pending()) MUSTER_TRY(object.file.pending()->Settle());
  MUSTER_ASSIGN(std::vector<os::Fd> synced, meta_.Attach(object.file.fd(), object.meta));
  synced.push_back(object.file.Duplicate());
  return synced;
}

void ObjectStore::Put(const std::string& bucket, const std::string& key, TempFile file,
                      ObjectMeta meta, WriteCondition condition, PutDone done) {
  const bool waits = file.pending() != nullptr;
  // Shared by the steps, because std::function must be copyable.
  const auto object = std::make_shared<NewObject>(NewObject{key, std::move(file), std::move(meta)});
  CommitQueue::Commit commit;
  if (waits) {
    commit.prepare = [this, object] { return Complete(*object); };
  } else {
    auto synced = Complete(*object);
    if (!synced) return done(std::unexpected(synced.error()));
    commit.files = std::move(*synced);
  }
  commit.renames = true;
  commit.publish = [this, bucket, object, condition = std::move(condition)] {
    return Place(bucket, object->key, object->file, condition);
  };
  commit.done = [object, done = std::move(done)](S3Status status) {
    done(status ? S3Result<ObjectMeta>(object->meta) : std::unexpected(std::move(status).error()));
  };
  commits_.Submit(std::move(commit));
}

S3Result<std::vector<os::Fd>> ObjectStore::RemoveOne(const Folder& folder,
                                                     const std::string& bucket,
                                                     const Removal& removal) {
  if (removal.condition.any() || meta_.in_use()) {
    const auto old = Find(bucket, removal.key);
    // An object that cannot be examined must not count as missing.
    if (!old && removal.condition.any() && old.error().code != S3Code::kNoSuchKey) {
      return std::unexpected(old.error());
    }
    MUSTER_TRY(removal.condition.Check(old ? &old->meta : nullptr));
    if (old) meta_.Forget(old->file.get());
  }
  return RemoveFile(folder, removal.key);
}

void ObjectStore::Remove(const std::string& bucket, std::vector<Removal> removals,
                         RemoveDone done) {
  const auto statuses = std::make_shared<std::vector<S3Status>>(removals.size());
  CommitQueue::Commit commit;
  commit.publish = [this, bucket, removals = std::move(removals),
                    statuses]() -> S3Result<std::vector<os::Fd>> {
    const MutexLock lock(places_);
    MUSTER_ASSIGN(const Folder folder, OpenBucket(bucket));
    FolderSet changed;
    std::vector<os::Fd> no_folders;
    for (size_t i = 0; i < removals.size(); ++i) {
      auto removed = RemoveOne(folder, bucket, removals[i]);
      if (!removed) (*statuses)[i] = std::unexpected(removed.error());
      for (os::Fd& one : removed ? *removed : no_folders) changed.Add(std::move(one));
    }
    return changed.Take();
  };
  commit.done = [statuses, done = std::move(done)](const S3Status& status) {
    for (S3Status& one : *statuses) {
      if (one && !status) one = status;
    }
    done(std::move(*statuses));
  };
  commits_.Submit(std::move(commit));
}

S3Status ObjectStore::Describe(const std::string& bucket, const std::string& key,
                               const std::function<S3Status(ObjectMeta&)>& change) {
  return commits_.Run({}, [&]() -> S3Result<std::vector<os::Fd>> {
    const MutexLock lock(places_);
    MUSTER_ASSIGN(const Folder folder, OpenBucket(bucket));
    MUSTER_ASSIGN(PlacedFile file, OpenPlaced(folder, key, O_RDWR));
    ObjectMeta meta = meta_.Load(file.fd.get(), file.info);
    MUSTER_TRY(change(meta));
    MUSTER_ASSIGN(std::vector<os::Fd> synced, meta_.Attach(file.fd.get(), meta));
    synced.push_back(std::move(file.fd));
    return synced;
  });
}

S3Result<ListPage> ObjectStore::List(const std::string& bucket, const ListQuery& query) {
  MUSTER_ASSIGN(const Folder folder, OpenBucket(bucket));
  KeyWalk walk(folder, entries_);
  MUSTER_ASSIGN(ListPage page, ListKeys(walk, query, [&](KeyWalk& at, ListedKey& listed) {
                  const auto file = at.Open(O_RDONLY);
                  if (!file) return false;
                  const auto meta = meta_.Load(file->get());
                  if (!meta) return false;
                  listed.size = meta->size;
                  listed.mtime_ms = meta->mtime_ms();
                  listed.etag = meta->etag;
                  listed.checksum = meta->checksum;
                  listed.mtime_ns = meta->mtime_ns;
                  listed.beside = at.beside();
                  return true;
                }));
  return page;
}

}  // namespace muster::objects
