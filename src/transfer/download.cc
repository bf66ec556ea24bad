// Copies any source to a local file: to a temporary file in the same folder, which is verified and
// renamed.
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "transfer/fetch.h"
#include "transfer/file_range.h"
#include "transfer/give_name.h"
#include "transfer/near_store.h"
#include "transfer/object_copy.h"

namespace muster::transfer {
namespace {

int64_t FreeBytes(const struct statfs& system) {
  return static_cast<int64_t>(system.f_bavail) * system.f_bsize;
}

class Download final : public ObjectCopy {
 public:
  Download(Session& session, Item item, Target target)
      : session_(session), item_(std::move(item)), target_(std::move(target)) {}
  ~Download() override;

  Outcome<Work> Begin(Worker& worker) override;
  Outcome<void> Move(Worker& worker, const Part& part) override;
  Outcome<Check> Finish(Worker& worker) override;
  void Abandon(Worker& worker) override;
  bool GoesOnLater() const override { return keep_; }

 private:
  bool local() const { return item_.at.kind == Location::Kind::kFile; }
  Status OpenFile(Worker& worker);
  Outcome<void> LearnWhole(Worker& worker);
  std::optional<Record::Begun> TakeUp();
  Status OpenUnnamed();
  Status OpenTemporary(bool goes_on);
  Status MakeRoom();
  Status TakePlace();
  std::vector<int> Left(const std::optional<Record::Begun>& begun) EXCLUDES(mutex_);
  Outcome<void> FetchPart(Worker& worker, const Part& part);
  Outcome<void> CopyPart(Worker& worker, const Part& part);
  Result<Check> CheckParts(Worker& worker) EXCLUDES(mutex_);
  Result<Check> CheckMd5(Worker& worker);
  Status Publish();

  Session& session_;
  Item item_;
  const Target target_;
  PartPlan plan_;
  os::Fd source_;          // the source file, or the file of an object of a local store
  std::string identity_;   // of the source when it was opened
  os::Fd file_;            // the temporary file
  FilledFile filled_;      // used by several workers
  std::string temporary_;  // its name in the destination folder
  bool named_ = false;     // the temporary file has a name
  bool keep_ = false;      // keep an unfinished file for a resume
  Mutex mutex_;
  std::map<int, std::string> digests_ GUARDED_BY(mutex_);
  Check check_ GUARDED_BY(mutex_) = Check::kLength;
};

Download::~Download() {
  if (file_ && named_ && !keep_) ::unlinkat(target_.place.folder->get(), temporary_.c_str(), 0);
}

// A listing contains no checksum.
Outcome<void> Download::LearnWhole(Worker& worker) {
  if (item_.at.kind != Location::Kind::kObject) return {};
  MUSTER_ASSIGN(S3Client* const client, worker.StoreFor(item_.at.profile));
  MUSTER_ASSIGN(const ObjectInfo info, worker.Try(&client->store(), [&] {
    return client->Head(item_.at.bucket, item_.at.key);
  }));
  item_.size = info.size;
  item_.etag = info.etag;
  item_.etag_is_md5 = info.etag_is_md5;
  item_.checksum = info.checksum;
  item_.identity = fmt::format("{} {}", info.etag, info.size);
  return {};
}

// Opens the source if it is a local file; otherwise the source is fetched.
Status Download::OpenFile(Worker& worker) {
  if (local()) {
    MUSTER_ASSIGN(OpenedFile opened, OpenSource(item_.at.path));
    source_ = std::move(opened.fd);
    item_.size = opened.size;
    item_.identity = opened.identity;
  } else if (item_.file) {
    MUSTER_ASSIGN(S3Client* const client, worker.StoreFor(item_.at.profile));
    const auto near = client->store().near();
    auto opened = near ? near->OpenObject(item_.at.bucket, *item_.file, item_.size)
                       : Result<os::Fd>(std::unexpect);
    if (opened) source_ = std::move(*opened);
  }
  if (source_) identity_ = FileIdentity(source_.get());
  return {};
}

Outcome<ObjectCopy::Work> Download::Begin(Worker& worker) {
  // Check before the first byte is copied rather than after the last one.
  MUSTER_TRY(CheckReplaceable(target_.place));
  MUSTER_TRY(OpenFile(worker));
  const auto cut = [&] {
    return item_.size < 0 || !item_.knows_ranges ? PartPlan{item_.size, item_.size, 1}
                                                 : PlanParts(item_.size, session_.options.parts);
  };
  plan_ = cut();
  if (plan_.count > 1 && !source_) {
    MUSTER_TRY(LearnWhole(worker));
    plan_ = cut();
  }
  if (plan_.count == 1) {
    MUSTER_TRY(OpenUnnamed());
    if (plan_.size >= kWorthRoom) MUSTER_TRY(MakeRoom());
    return Work{plan_, {1}};
  }
  const std::optional<Record::Begun> begun = TakeUp();
  if (!begun) {
    temporary_ = os::TemporaryName();
    // The name is journaled before the file exists, so that a kill leaves no unknown file.
    if (session_.record) {
      session_.record->Begin(
          target_.key,
          {.identity = item_.identity, .upload = temporary_, .part_size = plan_.part_size});
    }
    MUSTER_TRY(OpenTemporary(false));
  }
  keep_ = session_.record != nullptr;
  return Work{plan_, Left(begun)};
}

// Opens the unfinished file of an earlier run. Removes it and returns nothing if it cannot be used.
std::optional<Record::Begun> Download::TakeUp() {
  auto begun = session_.record ? session_.record->Find(target_.key) : std::nullopt;
  if (!begun) return std::nullopt;
  temporary_ = begun->upload;
  if (begun->Fits(item_.identity, plan_.part_size) && OpenTemporary(true)) return begun;
  if (os::IsTemporaryName(temporary_)) {
    ::unlinkat(target_.place.folder->get(), temporary_.c_str(), 0);
  }
  return std::nullopt;
}

// A file without a name disappears however the copy ends.
Status Download::OpenUnnamed() {
  file_ = os::Fd(::openat(target_.place.folder->get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666));
  if (file_) return {};
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT) {
    return FailErrno(errno, "write " + target_.place.path.string());
  }
  temporary_ = os::TemporaryName();
  return OpenTemporary(false);  // the file system does not support O_TMPFILE
}

Status Download::OpenTemporary(bool goes_on) {
  const int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | (goes_on ? 0 : O_CREAT | O_EXCL);
  if (!os::IsTemporaryName(temporary_)) return Fail(Code::kCorrupt, "no name of ours");
  file_ = os::Fd(::openat(target_.place.folder->get(), temporary_.c_str(), flags, 0666));
  const os::Path shown = target_.place.path.parent_path() / temporary_;
  if (!file_) return FailErrno(errno, "write " + shown.string());
  named_ = true;
  return goes_on || plan_.count == 1 ? Status() : MakeRoom();
}

// Detects a full disk before the first byte arrives. File systems without preallocation are checked
// less strictly.
Status Download::MakeRoom() {
  struct statfs system = {};
  // Pages of a memory file system are better allocated by all workers while they write.
  const bool in_memory = ::fstatfs(file_.get(), &system) == 0 && system.f_type == TMPFS_MAGIC;
  // A source that is copied in one piece may have another length by now. It is then fetched again,
  // and the file must not look complete before.
  const int mode = plan_.count == 1 ? FALLOC_FL_KEEP_SIZE : 0;
  const bool lacks = in_memory
                         ? system.f_blocks > 0 && FreeBytes(system) < plan_.size
                         : ::fallocate(file_.get(), mode, 0, plan_.size) != 0 && errno == ENOSPC;
  if (!lacks) return {};
  return FailErrno(ENOSPC, fmt::format("make room for {} of {}", HumanSize(plan_.size),
                                       target_.place.path.string()));
}

std::vector<int> Download::Left(const std::optional<Record::Begun>& begun) {
  std::vector<int> left;
  const MutexLock lock(mutex_);
  for (int number = 1; number <= plan_.count; ++number) {
    const auto it = begun ? begun->parts.find(number) : std::map<int, Record::DonePart>::iterator();
    const auto digest =
        begun && it != begun->parts.end() ? s3::FromHex(it->second.digest) : std::nullopt;
    if (digest) {
      digests_[number] = *digest;
    } else {
      left.push_back(number);
    }
  }
  return left;
}

Outcome<void> Download::Move(Worker& worker, const Part& part) {
  return source_ ? CopyPart(worker, part) : FetchPart(worker, part);
}

Outcome<void> Download::FetchPart(Worker& worker, const Part& part) {
  MUSTER_ASSIGN(Store* const store, StoreOf(worker, item_));
  const bool whole = plan_.count == 1;
  const GetRange range{part.offset, whole ? -1 : part.length, item_.etag};
  std::optional<s3::DigestKind> kind;
  if (!whole) kind = KindFor(item_.checksum, item_.etag_is_md5, false);
  bool begun = false;
  return worker.Try(store, [&]() -> Outcome<void> {
    // Avoid a needless truncation: ext4 writes a truncated file to disk when it is closed.
    if (whole && std::exchange(begun, true) && ::ftruncate(file_.get(), 0) != 0) {
      MUSTER_TRY(Status(FailErrno(errno, "empty a temporary file")));
    }
    int64_t at = part.offset;
    const Sink sink = [&](std::string_view bytes) -> Status {
      MUSTER_TRY(filled_.WriteAt(file_.get(), bytes, at, target_.place.path.string()));
      at += static_cast<int64_t>(bytes.size());
      return {};
    };
    MUSTER_ASSIGN(const Fetched fetched, Fetch(worker, item_, range, kind, sink));
    if (!whole) {
      if (session_.record) {
        session_.record->AddPart(target_.key, part.number, {"", s3::Hex(fetched.digest)});
      }
      const MutexLock lock(mutex_);
      digests_[part.number] = fetched.digest;
      return {};
    }
    const ObjectInfo& info = fetched.info;
    MUSTER_ASSIGN(const Check check, Judge(info.checksum, info.etag_is_md5 ? info.etag : "",
                                           fetched.kind, fetched.digest));
    if (item_.mtime_ms == 0) item_.mtime_ms = info.mtime_ms;
    item_.size = fetched.bytes;
    const MutexLock lock(mutex_);
    check_ = check;
    return {};
  });
}

Outcome<void> Download::CopyPart(Worker& worker, const Part& part) {
  const FileStretch stretch{source_.get(), file_.get(), part.offset,
                            part.length,   item_.at,    target_.at};
  const bool whole = plan_.count == 1;
  const s3::DigestKind kind = KindFor(item_.checksum, false, whole);
  const bool summed = !local() && item_.checksum && item_.checksum->kind == kind;
  if (!summed) {
    MUSTER_TRY(CopyStretch(worker, stretch));
  }
  std::string digest(1, '\0');
  if (summed) {
    MUSTER_ASSIGN(digest, CopyAndSum(worker, stretch, kind));
  }
  if (summed && whole) {
    MUSTER_ASSIGN(const Check check, Judge(item_.checksum, "", kind, digest));
    const MutexLock lock(mutex_);
    check_ = check;
  }
  if (!whole && session_.record) {
    session_.record->AddPart(target_.key, part.number, {"", s3::Hex(digest)});
  }
  const MutexLock lock(mutex_);
  digests_[part.number] = std::move(digest);
  return {};
}

Result<Check> Download::CheckMd5(Worker& worker) {
  s3::Digest md5(s3::DigestKind::kMd5);
  for (int64_t at = 0; at < plan_.size;) {
    const ssize_t n = ::pread(file_.get(), worker.buffer.data(), worker.buffer.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return FailErrno(n < 0 ? errno : EIO, "read " + target_.place.path.string());
    md5.Add({worker.buffer.data(), static_cast<size_t>(n)});
    at += n;
  }
  return Judge(std::nullopt, item_.etag, s3::DigestKind::kMd5, md5.Finish());
}

Result<Check> Download::CheckParts(Worker& worker) {
  const s3::DigestKind kind = KindFor(item_.checksum, item_.etag_is_md5, false);
  if (item_.checksum && item_.checksum->kind == kind) {
    std::string whole = s3::DigestOf(kind, "");
    const MutexLock lock(mutex_);
    for (const auto& [number, digest] : digests_) {
      whole = s3::CombineChecksums(kind, whole, digest, plan_.At(number).length);
    }
    return Judge(item_.checksum, "", kind, whole);
  }
  if (item_.etag_is_md5) return CheckMd5(worker);
  return Check::kLength;
}

Status Download::Publish() {
  struct stat info = {};
  if (::fstat(file_.get(), &info) != 0) return FailErrno(errno, "look at a temporary file");
  if (item_.size >= 0 && info.st_size != item_.size) {
    return Fail(Code::kCorrupt, fmt::format("{} became {} bytes long, expected {}",
                                            target_.place.path.string(), info.st_size, item_.size));
  }
  struct stat source = {};
  if (local() && ::fstat(source_.get(), &source) == 0) {
    (void)::fchmod(file_.get(), source.st_mode & 0777);
  }
  if (item_.mtime_ms > 0) {
    const timespec when = {item_.mtime_ms / 1000, item_.mtime_ms % 1000 * 1'000'000};
    const timespec times[] = {when, when};
    (void)::futimens(file_.get(), times);
  }
  return TakePlace();
}

// A journaled file is renamed; its name is unique to this copy.
Status Download::TakePlace() {
  if (!named_) return GiveName(file_.get(), target_.place);
  MUSTER_TRY(CheckReplaceable(target_.place));
  const int folder = target_.place.folder->get();
  if (::renameat(folder, temporary_.c_str(), folder, target_.place.leaf.c_str()) != 0) {
    return FailErrno(errno, "write " + target_.place.path.string());
  }
  named_ = false;  // the file has its final name
  return {};
}

Outcome<Check> Download::Finish(Worker& worker) {
  if (source_ && FileIdentity(source_.get()) != identity_) {
    MUSTER_TRY(
        Status(Fail(Code::kConflict, fmt::format("{} changed while it was copied", Show(item_.at)),
                    "copy it again when nothing writes to it")));
  }
  Check check = Check::kLength;
  if (plan_.count > 1) {
    MUSTER_ASSIGN(check, local() ? Result<Check>(Check::kLength) : CheckParts(worker));
  } else {
    const MutexLock lock(mutex_);
    check = check_;
  }
  MUSTER_TRY(Publish());
  return check;
}

void Download::Abandon(Worker&) {
  keep_ = false;
  if (session_.record) session_.record->Forget(target_.key);
}

}  // namespace

std::unique_ptr<ObjectCopy> MakeDownload(Session& session, Item item, Target target) {
  return std::make_unique<Download>(session, std::move(item), std::move(target));
}

}  // namespace muster::transfer
