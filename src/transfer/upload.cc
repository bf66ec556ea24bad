// Uploads any source to an object store, in one request or as a multipart upload.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include <fmt/format.h>

#include "transfer/fetch.h"
#include "transfer/object_copy.h"

namespace muster::transfer {
namespace {

struct Sums {
  std::string crc32c, sha256;  // raw; sha256 only on request
};

Result<Sums> SumFile(const http::FileRange& file, bool with_sha256, std::string& buffer) {
  s3::Digest crc(s3::DigestKind::kCrc32c), sha(s3::DigestKind::kSha256);
  for (int64_t done = 0; done < file.length;) {
    const auto wanted =
        static_cast<size_t>(std::min<int64_t>(std::ssize(buffer), file.length - done));
    const ssize_t n = ::pread(file.fd, buffer.data(), wanted, file.offset + done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FailErrno(errno, "read " + file.name);
    if (n == 0) {
      return Fail(Code::kConflict, fmt::format("{} became shorter while it was copied", file.name),
                  "copy it again when nothing writes to it");
    }
    const std::string_view bytes(buffer.data(), static_cast<size_t>(n));
    crc.Add(bytes);
    if (with_sha256) sha.Add(bytes);
    done += n;
  }
  return Sums{crc.Finish(), with_sha256 ? sha.Finish() : ""};
}

class Upload final : public ObjectCopy {
 public:
  Upload(Session& session, Item item, Target target)
      : session_(session), item_(std::move(item)), target_(std::move(target)) {}

  Outcome<Work> Begin(Worker& worker) override;
  Outcome<void> Move(Worker& worker, const Part& part) override;
  Outcome<Check> Finish(Worker& worker) override;
  void Abandon(Worker& worker) override;
  bool GoesOnLater() const override { return session_.record != nullptr; }

 private:
  using Send = std::function<Outcome<PutAnswer>(const SealedBody&)>;

  bool local() const { return item_.at.kind == Location::Kind::kFile; }
  Outcome<void> CheckSame() const;  // fails if the file was written meanwhile
  Outcome<void> OpenAll(Worker& worker);
  Outcome<void> LearnObject(Worker& worker);
  Outcome<std::vector<int>> BeginParts(Worker& worker);
  // The bytes of a part as a range of a file.
  Outcome<http::FileRange> Bytes(Worker& worker, const Part& part);
  // Records how the source was verified, and the headers to keep.
  void Learn(Check check, http::Headers kept) EXCLUDES(mutex_);
  http::Headers kept() EXCLUDES(mutex_);
  // Sends with a checksum that the store can verify, and again with a signed payload if the store
  // verifies nothing.
  Outcome<PutAnswer> SendSealed(Worker& worker, const http::FileRange& file, std::string& crc32c,
                                const Send& send);
  Outcome<std::string> CompleteOnce(S3Client& client, std::span<const CompletedPart> parts,
                                    const std::string& crc32c);

  Session& session_;
  Item item_;
  const Target target_;
  os::Fd file_;  // the source, or the spooled bytes of a source without range support
  PartPlan plan_;
  std::string upload_;
  bool with_crc_ = false;
  Mutex mutex_;
  struct Done {
    std::string etag, crc32c;  // raw
  };
  std::map<int, Done> done_ GUARDED_BY(mutex_);
  Check check_ GUARDED_BY(mutex_) = Check::kCrc;  // the weakest check of all parts and both ends
  http::Headers kept_ GUARDED_BY(mutex_);
};

Outcome<void> Upload::OpenAll(Worker& worker) {
  if (local()) {
    MUSTER_ASSIGN(OpenedFile opened, OpenSource(item_.at.path));
    file_ = std::move(opened.fd);
    item_.size = opened.size;
    item_.identity = opened.identity;
  } else if (item_.size < 0 || !item_.knows_ranges) {
    MUSTER_ASSIGN(file_,
                  os::Open(std::filesystem::temp_directory_path(), O_TMPFILE | O_RDWR, 0600));
    MUSTER_ASSIGN(Spooled all, FetchToFile(worker, item_, {}, file_.get()));
    item_.size = all.file.length;
    Learn(all.check, std::move(all.kept));
  }
  return {};
}

Outcome<ObjectCopy::Work> Upload::Begin(Worker& worker) {
  MUSTER_TRY(OpenAll(worker));
  plan_ = PlanParts(item_.size, session_.options.parts);
  Work work{plan_, {1}};
  if (plan_.count > 1) {
    MUSTER_ASSIGN(work.left, BeginParts(worker));
  }
  return work;
}

// Reads metadata that a listing does not contain, for an object that is copied in parts.
Outcome<void> Upload::LearnObject(Worker& worker) {
  if (item_.at.kind != Location::Kind::kObject) return {};
  MUSTER_ASSIGN(S3Client* const client, worker.StoreFor(item_.at.profile));
  MUSTER_ASSIGN(ObjectInfo info, worker.Try(&client->store(), [&] {
    return client->Head(item_.at.bucket, item_.at.key);
  }));
  item_.checksum = info.checksum;
  const bool told = info.checksum && info.checksum->kind == s3::DigestKind::kCrc32c;
  Learn(told ? Check::kCrc : Check::kLength, std::move(info.kept));
  return {};
}

Outcome<std::vector<int>> Upload::BeginParts(Worker& worker) {
  MUSTER_TRY(LearnObject(worker));
  MUSTER_ASSIGN(S3Client* const client, worker.StoreFor(target_.at.profile));
  Record* const record = session_.record.get();
  std::optional<Record::Begun> begun;
  if (record != nullptr) begun = record->Find(target_.key);
  if (begun && !begun->Fits(item_.identity, plan_.part_size)) {
    (void)client->Abort(target_.at.bucket, target_.at.key, begun->upload);
    begun.reset();
  }
  if (begun) {
    upload_ = begun->upload;
    with_crc_ = begun->with_crc;
  } else {
    MUSTER_ASSIGN(const UploadStart start, worker.Try(&client->store(), [&] {
      return client->BeginUpload(target_.at.bucket, target_.at.key, kept());
    }));
    upload_ = start.id;
    with_crc_ = start.with_crc;
    if (record != nullptr) {
      record->Begin(target_.key, {.identity = item_.identity,
                                  .upload = upload_,
                                  .with_crc = with_crc_,
                                  .part_size = plan_.part_size});
    }
  }
  std::vector<int> left;
  const MutexLock lock(mutex_);
  for (int number = 1; number <= plan_.count; ++number) {
    const auto it = begun ? begun->parts.find(number) : std::map<int, Record::DonePart>::iterator();
    const auto crc =
        begun && it != begun->parts.end() ? s3::FromHex(it->second.digest) : std::nullopt;
    if (crc && crc->size() == 4) {
      done_[number] = {it->second.etag, *crc};
    } else {
      left.push_back(number);
    }
  }
  return left;
}

Outcome<http::FileRange> Upload::Bytes(Worker& worker, const Part& part) {
  if (file_) return http::FileRange{file_.get(), part.offset, part.length, Show(item_.at)};
  MUSTER_ASSIGN(const int spool, worker.Spool());
  const bool whole = plan_.count == 1;
  const GetRange range{part.offset, whole ? -1 : part.length, item_.etag};
  MUSTER_ASSIGN(Spooled spooled, FetchToFile(worker, item_, range, spool));
  if (whole) Learn(spooled.check, std::move(spooled.kept));
  return std::move(spooled.file);
}

void Upload::Learn(Check check, http::Headers kept) {
  const MutexLock lock(mutex_);
  check_ = std::min(check_, check);
  kept_ = std::move(kept);
}

http::Headers Upload::kept() {
  const MutexLock lock(mutex_);
  return kept_;
}

Outcome<PutAnswer> Upload::SendSealed(Worker& worker, const http::FileRange& file,
                                      std::string& crc32c, const Send& send) {
  MUSTER_ASSIGN(S3Client* const client, worker.StoreFor(target_.at.profile));
  Store& store = client->store();
  while (true) {
    const bool by_crc = store.checks_crc();
    const bool with_sha256 = !by_crc || !store.private_link();
    Outcome<PutAnswer> answer = worker.Try(&store, [&]() -> Outcome<PutAnswer> {
      MUSTER_ASSIGN(const Sums sums, SumFile(file, with_sha256, worker.buffer));
      // A change before this check would be stored as a mix of old and new bytes. A later change
      // does not match the checksums, and the store rejects it.
      MUSTER_TRY(CheckSame());
      crc32c = sums.crc32c;
      SealedBody body{file, by_crc ? s3::Base64(sums.crc32c) : "", s3::Hex(sums.sha256),
                      [&](int64_t bytes) { return session_.Moved(bytes); }};
      return send(body);
    });
    if (!answer) return answer;
    if (by_crc && !answer->crc_checked) store.ForgetCrc();
    if (by_crc && !answer->crc_checked && !with_sha256) continue;
    const MutexLock lock(mutex_);
    check_ = std::min(check_, answer->crc_checked ? Check::kCrc : Check::kSha256);
    return answer;
  }
}

Outcome<void> Upload::Move(Worker& worker, const Part& part) {
  MUSTER_ASSIGN(S3Client* const client, worker.StoreFor(target_.at.profile));
  MUSTER_ASSIGN(const http::FileRange file, Bytes(worker, part));
  std::string crc32c;
  const bool whole = plan_.count == 1;
  MUSTER_ASSIGN(
      const PutAnswer answer, SendSealed(worker, file, crc32c, [&](const SealedBody& body) {
        return whole
                   ? client->Put(target_.at.bucket, target_.at.key, body, kept())
                   : client->PutPart(target_.at.bucket, target_.at.key, upload_, part.number, body);
      }));
  if (whole) return {};
  if (session_.record) {
    session_.record->AddPart(target_.key, part.number, {answer.etag, s3::Hex(crc32c)});
  }
  const MutexLock lock(mutex_);
  done_[part.number] = {answer.etag, crc32c};
  return {};
}

Outcome<std::string> Upload::CompleteOnce(S3Client& client, std::span<const CompletedPart> parts,
                                          const std::string& crc32c) {
  auto etag = client.Complete(target_.at.bucket, target_.at.key, upload_, parts, crc32c);
  if (etag || etag.error().s3_code != "NoSuchUpload") return etag;
  // The upload may have completed although its response was lost: the object then consists of these
  // parts.
  const auto head = client.Head(target_.at.bucket, target_.at.key);
  const std::string wanted = CompositeETag(parts);
  if (head && head->size == plan_.size && !wanted.empty() && head->etag == wanted) return wanted;
  return etag;
}

Outcome<void> Upload::CheckSame() const {
  if (!local() || FileIdentity(file_.get()) == item_.identity) return {};
  return std::unexpected(
      Trouble(Error{Code::kConflict, fmt::format("{} changed while it was copied", Show(item_.at)),
                    "copy it again when nothing writes to it", 0}));
}

Outcome<Check> Upload::Finish(Worker& worker) {
  MUSTER_TRY(CheckSame());
  if (plan_.count == 1) {
    const MutexLock lock(mutex_);
    return check_;
  }
  std::vector<CompletedPart> parts;
  std::string whole = s3::DigestOf(s3::DigestKind::kCrc32c, "");
  Check check = Check::kCrc;
  {
    const MutexLock lock(mutex_);
    check = check_;
    for (const auto& [number, done] : done_) {
      parts.push_back({number, done.etag, with_crc_ ? s3::Base64(done.crc32c) : ""});
      whole = s3::CombineChecksums(s3::DigestKind::kCrc32c, whole, done.crc32c,
                                   plan_.At(number).length);
    }
  }
  const bool told = item_.checksum && item_.checksum->kind == s3::DigestKind::kCrc32c;
  if (told && item_.checksum->value != s3::Base64(whole)) {
    MUSTER_TRY(Judge(item_.checksum, "", s3::DigestKind::kCrc32c, whole));
  }
  MUSTER_ASSIGN(S3Client* const client, worker.StoreFor(target_.at.profile));
  MUSTER_TRY(worker.Try(&client->store(), [&] {
    return CompleteOnce(*client, parts, with_crc_ ? s3::Base64(whole) : "");
  }));
  return check;
}

void Upload::Abandon(Worker& worker) {
  if (session_.record) session_.record->Forget(target_.key);
  const auto client = worker.StoreFor(target_.at.profile);
  if (client && !upload_.empty()) {
    (void)(*client)->Abort(target_.at.bucket, target_.at.key, upload_);
  }
}

}  // namespace

std::unique_ptr<ObjectCopy> MakeUpload(Session& session, Item item, Target target) {
  return std::make_unique<Upload>(session, std::move(item), std::move(target));
}

}  // namespace muster::transfer
