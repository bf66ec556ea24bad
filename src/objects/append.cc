// POST that appends a piece to an object: an operation of OBS only.
#include "base/text.h"
#include "objects/object_headers.h"
#include "objects/operations.h"

namespace muster::objects {
namespace {

class AppendTarget final : public BodyTarget {
 public:
  AppendTarget(CallPtr call, int64_t position, ObjectMeta meta, TempFile file)
      : call_(std::move(call)),
        position_(position),
        meta_(std::move(meta)),
        file_(std::make_shared<TempFile>(std::move(file))) {}

  S3Status Take(const s3::SharedPiece& piece) override {
    MUSTER_TRY(file_->Write(piece->bytes()));
    return {};
  }

  // Runs in the pool, because it waits for the disk.
  void Done(const BodySums& sums) override {
    call_->parts.pool.Run(
        [call = call_, position = position_, meta = meta_, file = file_, md5 = sums.md5] {
          const auto now = call->parts.store.Append(call->request.bucket, call->request.key,
                                                    position, std::move(*file), md5, meta);
          if (!now) return call->Fail(now.error());
          call->Answer({200,
                        {{"ETag", Quoted(s3::Hex(md5))},
                         {"x-obs-next-append-position", std::to_string(now->size)}},
                        {}});
        });
  }

 private:
  const CallPtr call_;
  const int64_t position_;
  ObjectMeta meta_;
  std::shared_ptr<TempFile> file_;  // shared with the function that runs in the pool
};

}  // namespace

S3Result<std::unique_ptr<BodyTarget>> OpenAppend(const CallPtr& call, const BodyCheck&) {
  const S3Request& request = call->request;
  MUSTER_TRY(call->MayWrite(request.bucket, request.key));
  const auto position = ParseInt(request.Query("position").value_or(""));
  if (!position || *position < 0) {
    return Refuse(S3Code::kInvalidArgument, "position must be a whole number from 0.");
  }
  MUSTER_ASSIGN(ObjectMeta meta, MetaOfRequest(request));
  MUSTER_TRY(call->parts.store.OpenBucket(request.bucket));
  MUSTER_ASSIGN(TempFile file, call->parts.store.NewFile());
  return std::make_unique<AppendTarget>(call, *position, std::move(meta), std::move(file));
}

}  // namespace muster::objects
