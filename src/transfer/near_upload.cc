// Uploads a local file to a store on this machine: writes the bytes to the inbox of the store, and
// requests an object from them.
#include <fcntl.h>

#include <cerrno>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "transfer/file_range.h"
#include "transfer/near_store.h"
#include "transfer/object_copy.h"

namespace muster::transfer {
namespace {

class NearUpload final : public ObjectCopy {
 public:
  NearUpload(Session& session, std::shared_ptr<NearStore> near, Item item, Target target)
      : session_(session),
        near_(std::move(near)),
        item_(std::move(item)),
        target_(std::move(target)) {}
  ~NearUpload() override {
    if (draft_.fd && !adopted_ && !keep_) near_->Discard(draft_.name);
  }

  Outcome<Work> Begin(Worker& worker) override;
  Outcome<void> Move(Worker& worker, const Part& part) override;
  Outcome<Check> Finish(Worker& worker) override;
  void Abandon(Worker& worker) override;
  bool GoesOnLater() const override { return keep_; }
  std::string group() const override {
    const bool small = item_.size <= session_.options.parts.whole_up_to;
    return small ? target_.at.profile + "@" + target_.at.bucket : "";
  }
  Outcome<Check> FinishTogether(Worker& worker, std::span<ObjectCopy* const> all) override;

 private:
  Status TakeUp() EXCLUDES(mutex_);
  std::vector<int> Left() EXCLUDES(mutex_);
  Outcome<void> CheckSource() const;
  Offer OfferDraft() EXCLUDES(mutex_);
  std::string WholeCrc() EXCLUDES(mutex_);

  Session& session_;
  const std::shared_ptr<NearStore> near_;  // shared by all copies to this store
  const Item item_;
  const Target target_;
  OpenedFile source_;
  NearStore::Draft draft_;
  bool adopted_ = false;
  bool keep_ = false;  // keep an unfinished draft for a resume
  PartPlan plan_;
  Mutex mutex_;
  std::map<int, std::string> crcs_ GUARDED_BY(mutex_);  // raw CRCs, by part
};

Outcome<ObjectCopy::Work> NearUpload::Begin(Worker& worker) {
  MUSTER_ASSIGN(source_, OpenSource(item_.at.path));
  plan_ = PlanParts(source_.size, session_.options.parts);
  if (plan_.count > 1) MUSTER_TRY(TakeUp());
  if (!draft_.fd) {
    MUSTER_ASSIGN(draft_, near_->NewDraft(worker.hand));
  }
  Work work{plan_, Left()};
  // Detects a full disk before the first byte; file systems without preallocation are checked less
  // strictly.
  if (plan_.size >= kWorthRoom && ::fallocate(draft_.fd.get(), 0, 0, plan_.size) != 0 &&
      errno == ENOSPC) {
    MUSTER_TRY(Status(FailErrno(
        ENOSPC, fmt::format("make room for {} of {}", HumanSize(plan_.size), Show(target_.at)))));
  }
  keep_ = plan_.count > 1 && session_.record != nullptr;
  if (keep_ && std::ssize(work.left) == plan_.count) {
    session_.record->Begin(
        target_.key,
        {.identity = source_.identity, .upload = draft_.name, .part_size = plan_.part_size});
  }
  return work;
}

// Resumes the draft of an earlier run.
Status NearUpload::TakeUp() {
  const auto begun = session_.record ? session_.record->Find(target_.key) : std::nullopt;
  if (!begun || !begun->Fits(source_.identity, plan_.part_size)) return {};
  auto draft = near_->OpenDraft(begun->upload);
  if (!draft) return {};  // the draft was removed, or the upload started over the connection
  draft_ = std::move(*draft);
  const MutexLock lock(mutex_);
  for (const auto& [number, part] : begun->parts) {
    const auto crc = s3::FromHex(part.digest);
    if (crc && crc->size() == 4) crcs_[number] = *crc;
  }
  return {};
}

std::vector<int> NearUpload::Left() {
  std::vector<int> left;
  const MutexLock lock(mutex_);
  for (int number = 1; number <= plan_.count; ++number) {
    if (!crcs_.contains(number)) left.push_back(number);
  }
  return left;
}

void NearUpload::Abandon(Worker&) {
  keep_ = false;
  if (session_.record) session_.record->Forget(target_.key);
}

Outcome<void> NearUpload::Move(Worker& worker, const Part& part) {
  const FileStretch stretch{source_.fd.get(), draft_.fd.get(), part.offset,
                            part.length,      item_.at,        target_.at};
  MUSTER_ASSIGN(std::string crc, CopyAndSum(worker, stretch, s3::DigestKind::kCrc32c));
  MUSTER_TRY(CheckSource());
  if (keep_) session_.record->AddPart(target_.key, part.number, {"", s3::Hex(crc)});
  const MutexLock lock(mutex_);
  crcs_[part.number] = std::move(crc);
  return {};
}

std::string NearUpload::WholeCrc() {
  const MutexLock lock(mutex_);
  if (plan_.count == 1) return crcs_.at(1);
  std::string whole = s3::DigestOf(s3::DigestKind::kCrc32c, "");
  for (const auto& [number, crc] : crcs_) {
    whole = s3::CombineChecksums(s3::DigestKind::kCrc32c, whole, crc, plan_.At(number).length);
  }
  return whole;
}

Outcome<void> NearUpload::CheckSource() const {
  if (FileIdentity(source_.fd.get()) == source_.identity) return {};
  return std::unexpected(
      Trouble(Error{Code::kConflict, fmt::format("{} changed while it was copied", Show(item_.at)),
                    "copy it again when nothing writes to it", 0}));
}

Offer NearUpload::OfferDraft() { return {draft_.name, target_.at.key, s3::Base64(WholeCrc())}; }

Outcome<Check> NearUpload::Finish(Worker& worker) {
  ObjectCopy* const alone[] = {this};
  return FinishTogether(worker, alone);
}

Outcome<Check> NearUpload::FinishTogether(Worker& worker, std::span<ObjectCopy* const> all) {
  std::vector<Offer> offers;
  for (ObjectCopy* const one : all) offers.push_back(static_cast<NearUpload*>(one)->OfferDraft());
  MUSTER_ASSIGN(S3Client* const client, worker.StoreFor(target_.at.profile));
  auto adopted = client->Adopt(target_.at.bucket, offers);
  if (adopted) {
    for (ObjectCopy* const one : all) static_cast<NearUpload*>(one)->adopted_ = true;
    return Check::kCrc;
  }
  // The upload over the connection meets the same cause again and handles it.
  client->store().ForgetNear();
  return std::unexpected(
      Trouble(Error{Code::kCorrupt, std::move(adopted).error().error.text, "", 0}));
}

}  // namespace

std::unique_ptr<ObjectCopy> MakeNearUpload(Session& session, std::shared_ptr<NearStore> near,
                                           Item item, Target target) {
  return std::make_unique<NearUpload>(session, std::move(near), std::move(item), std::move(target));
}

}  // namespace muster::transfer
