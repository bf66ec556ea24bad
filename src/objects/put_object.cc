// PutObject: writes a separate file while the body arrives, and moves it after the verification.
#include "objects/object_headers.h"
#include "objects/operations.h"

namespace muster::objects {
namespace {

class PutTarget final : public BodyTarget {
 public:
  PutTarget(CallPtr call, ObjectMeta meta, std::optional<int64_t> length)
      : call_(std::move(call)), meta_(std::move(meta)), length_(length) {}

  S3Status Take(const s3::SharedPiece& piece) override {
    MUSTER_TRY(NeedFile());
    MUSTER_TRY(file_->Write(piece));
    return {};
  }

  void Done(const BodySums& sums) override {
    if (const auto made = NeedFile(); !made) return call_->Fail(made.error());
    meta_.etag = s3::Hex(sums.md5);
    meta_.checksum = sums.checksum;
    const S3Request& request = call_->request;
    call_->parts.store.Put(request.bucket, request.key, std::move(*file_), std::move(meta_),
                           WriteConditionOf(request), [call = call_](S3Result<ObjectMeta> meta) {
                             if (!meta) return call->Fail(meta.error());
                             http::Response response{200, {{"ETag", Quoted(meta->etag)}}, {}};
                             AddChecksum(meta->checksum, response.headers);
                             call->Answer(std::move(response));
                           });
  }

 private:
  S3Status NeedFile() {
    if (file_) return {};
    MUSTER_ASSIGN(file_, call_->parts.store.NewFile(length_));
    return {};
  }

  const CallPtr call_;
  ObjectMeta meta_;
  const std::optional<int64_t> length_;
  std::optional<TempFile> file_;
};

}  // namespace

S3Result<std::unique_ptr<BodyTarget>> OpenPut(const CallPtr& call, const BodyCheck& check) {
  const S3Request& request = call->request;
  MUSTER_TRY(call->MayWrite(request.bucket, request.key));
  MUSTER_ASSIGN(ObjectMeta meta, MetaOfRequest(request));
  MUSTER_TRY(call->parts.store.OpenBucket(request.bucket));
  // Checks conditions before the body is sent; they are checked again at the end.
  if (const WriteCondition condition = WriteConditionOf(request); condition.any()) {
    const auto current = call->parts.store.Find(request.bucket, request.key);
    MUSTER_TRY(condition.Check(current ? &current->meta : nullptr));
  }
  return std::make_unique<PutTarget>(call, std::move(meta), check.length());
}

}  // namespace muster::objects
