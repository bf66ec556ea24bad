// Copies an object inside one store; the bytes stay in the store.
#include <map>

#include "transfer/object_copy.h"

namespace muster::transfer {
namespace {

constexpr int64_t kMiB = 1 << 20;

class ServerCopy final : public ObjectCopy {
 public:
  ServerCopy(Session& session, Item item, Target target)
      : session_(session), item_(std::move(item)), target_(std::move(target)) {}

  Outcome<Work> Begin(Worker& worker) override;
  Outcome<void> Move(Worker& worker, const Part& part) override;
  Outcome<Check> Finish(Worker& worker) override;
  void Abandon(Worker& worker) override;

 private:
  Session& session_;
  const Item item_;
  const Target target_;
  PartPlan plan_;
  std::string upload_;
  Mutex mutex_;
  std::map<int, std::string> etags_ GUARDED_BY(mutex_);
  std::string etag_ GUARDED_BY(mutex_);
};

Outcome<ObjectCopy::Work> ServerCopy::Begin(Worker& worker) {
  PartLimits limits = session_.options.parts;
  // No bytes pass through the client: use large parts, and a single request up to the limit of S3.
  limits.usual = 256 * kMiB;
  limits.whole_up_to = std::min<int64_t>(1024 * kMiB, limits.most);
  plan_ = PlanParts(item_.size, limits);
  Work work{plan_, {1}};
  if (plan_.count == 1) return work;
  MUSTER_ASSIGN(S3Client* const client, worker.StoreFor(target_.at.profile));
  MUSTER_ASSIGN(const ObjectInfo head, worker.Try(&client->store(), [&] {
    return client->Head(item_.at.bucket, item_.at.key);
  }));
  MUSTER_ASSIGN(const UploadStart start, worker.Try(&client->store(), [&] {
    return client->BeginUpload(target_.at.bucket, target_.at.key, head.kept);
  }));
  upload_ = start.id;
  work.left.clear();
  for (int number = 1; number <= plan_.count; ++number) work.left.push_back(number);
  return work;
}

Outcome<void> ServerCopy::Move(Worker& worker, const Part& part) {
  MUSTER_ASSIGN(S3Client* const client, worker.StoreFor(target_.at.profile));
  if (plan_.count == 1) {
    MUSTER_ASSIGN(const std::string etag, worker.Try(&client->store(), [&] {
      return client->Copy(item_.at.bucket, item_.at.key, item_.etag, target_.at.bucket,
                          target_.at.key);
    }));
    const MutexLock lock(mutex_);
    etag_ = etag;
    return {};
  }
  const GetRange range{part.offset, part.length, item_.etag};
  MUSTER_ASSIGN(const std::string etag, worker.Try(&client->store(), [&] {
    return client->CopyPart(item_.at.bucket, item_.at.key, range, target_.at.bucket, target_.at.key,
                            upload_, part.number);
  }));
  const MutexLock lock(mutex_);
  etags_[part.number] = etag;
  return {};
}

Outcome<Check> ServerCopy::Finish(Worker& worker) {
  std::vector<CompletedPart> parts;
  {
    const MutexLock lock(mutex_);
    // Equal ETags mean equal MD5s, or equal MD5s of the same parts.
    if (plan_.count == 1)
      return etag_ == item_.etag && !etag_.empty() ? Check::kMd5 : Check::kLength;
    for (const auto& [number, etag] : etags_) parts.push_back({number, etag, ""});
  }
  MUSTER_ASSIGN(S3Client* const client, worker.StoreFor(target_.at.profile));
  MUSTER_TRY(worker.Try(&client->store(), [&] {
    return client->Complete(target_.at.bucket, target_.at.key, upload_, parts, "");
  }));
  return Check::kLength;
}

void ServerCopy::Abandon(Worker& worker) {
  const auto client = worker.StoreFor(target_.at.profile);
  if (client && !upload_.empty()) {
    (void)(*client)->Abort(target_.at.bucket, target_.at.key, upload_);
  }
}

}  // namespace

std::unique_ptr<ObjectCopy> MakeServerCopy(Session& session, Item item, Target target) {
  return std::make_unique<ServerCopy>(session, std::move(item), std::move(target));
}

}  // namespace muster::transfer
