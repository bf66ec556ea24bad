// Uploads small local files in archives to a store that unpacks them: many objects in one request.
// MinIO needs twice as long for single requests.
#include <fcntl.h>

#include <cerrno>

#include <fmt/format.h>

#include "transfer/archive.h"
#include "transfer/object_copy.h"

namespace muster::transfer {
namespace {

class ArchiveUpload final : public ObjectCopy {
 public:
  ArchiveUpload(Session& session, Item item, Target target)
      : session_(session), item_(std::move(item)), target_(std::move(target)) {}

  Outcome<Work> Begin(Worker& worker) override;
  Outcome<void> Move(Worker& worker, const Part& part) override;
  Outcome<Check> Finish(Worker& worker) override;
  std::string group() const override {
    return "archive " + target_.at.profile + "@" + target_.at.bucket;
  }
  Outcome<Check> FinishTogether(Worker& worker, std::span<ObjectCopy* const> all) override;

 private:
  Outcome<void> SendAndLook(Worker& worker, const std::string& archive, int64_t size,
                            const std::string& md5);

  Session& session_;
  const Item item_;
  const Target target_;
  OpenedFile source_;
  std::string bytes_;
};

Outcome<ObjectCopy::Work> ArchiveUpload::Begin(Worker&) {
  MUSTER_ASSIGN(source_, OpenSource(item_.at.path));
  if (source_.size > kLargestInArchive) {
    MUSTER_TRY(
        Status(Fail(Code::kConflict, fmt::format("{} grew while it was copied", Show(item_.at)),
                    "copy it again when nothing writes to it")));
  }
  return Work{PlanParts(source_.size, session_.options.parts), {1}};
}

// Reads the file into memory; it is small, and its descriptor can be closed.
Outcome<void> ArchiveUpload::Move(Worker&, const Part& part) {
  bytes_.resize(static_cast<size_t>(part.length));
  size_t have = 0;
  while (have < bytes_.size()) {
    const ssize_t n = ::pread(source_.fd.get(), bytes_.data() + have, bytes_.size() - have,
                              static_cast<off_t>(have));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) MUSTER_TRY(Status(FailErrno(errno, "read " + Show(item_.at))));
    if (n <= 0) break;
    have += static_cast<size_t>(n);
  }
  if (have < bytes_.size() || FileIdentity(source_.fd.get()) != source_.identity) {
    MUSTER_TRY(
        Status(Fail(Code::kConflict, fmt::format("{} changed while it was copied", Show(item_.at)),
                    "copy it again when nothing writes to it")));
  }
  source_.fd.Reset();
  if (!session_.Moved(part.length)) {
    MUSTER_TRY(Status(Fail(Code::kConflict, "the copy was stopped")));
  }
  return {};
}

Outcome<Check> ArchiveUpload::Finish(Worker& worker) {
  ObjectCopy* const alone[] = {this};
  return FinishTogether(worker, alone);
}

// The signature covers the payload, so the store verifies the bytes that it receives. A HEAD of the
// last object shows whether the store unpacked the archive.
Outcome<void> ArchiveUpload::SendAndLook(Worker& worker, const std::string& archive, int64_t size,
                                         const std::string& md5) {
  MUSTER_ASSIGN(S3Client* const client, worker.StoreFor(target_.at.profile));
  const std::string name = target_.at.key + ".muster-" + os::RandomHex(8) + ".tar";
  MUSTER_TRY(worker.Try(&client->store(),
                        [&] { return client->PutArchive(target_.at.bucket, name, archive); }));
  auto last =
      worker.Try(&client->store(), [&] { return client->Head(target_.at.bucket, target_.at.key); });
  if (last && last->size == size && last->etag == md5) return {};
  // The store kept the archive as an object.
  (void)client->Delete(target_.at.bucket, std::span(&name, 1));
  if (!last) return std::unexpected(std::move(last).error());
  return std::unexpected(Trouble(Error{
      Code::kCorrupt, fmt::format("{} did not come out of an archive", Show(target_.at)), "", 0}));
}

Outcome<Check> ArchiveUpload::FinishTogether(Worker& worker, std::span<ObjectCopy* const> all) {
  std::string archive;
  size_t length = 0;
  for (ObjectCopy* const one : all) {
    length += LengthInArchive(static_cast<ArchiveUpload*>(one)->bytes_.size());
  }
  // Many workers hold an archive: reserve no more than needed.
  archive.reserve(length + kArchiveEnd);
  ArchiveUpload* last = nullptr;
  int64_t size = 0;
  std::string md5;
  for (ObjectCopy* const one : all) {
    last = static_cast<ArchiveUpload*>(one);
    const std::string bytes = std::exchange(last->bytes_, {});
    AddToArchive(archive, last->target_.at.key, bytes, session_.clock.WallMs() / 1000);
    if (one != all.back()) continue;
    size = std::ssize(bytes);
    md5 = s3::Hex(s3::DigestOf(s3::DigestKind::kMd5, bytes));
  }
  EndArchive(archive);
  auto sent = last->SendAndLook(worker, archive, size, md5);
  if (sent) return Check::kSha256;
  // Single uploads meet the same cause again and handle it.
  if (auto client = worker.StoreFor(target_.at.profile)) (*client)->store().ForgetArchives();
  return std::unexpected(Trouble(Error{Code::kCorrupt, std::move(sent).error().error.text, "", 0}));
}

}  // namespace

std::unique_ptr<ObjectCopy> MakeArchiveUpload(Session& session, Item item, Target target) {
  return std::make_unique<ArchiveUpload>(session, std::move(item), std::move(target));
}

}  // namespace muster::transfer
