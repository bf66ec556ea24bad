#include <fmt/format.h>

#include "api/from_pool.h"
#include "api/routes.h"
#include "base/text.h"

namespace muster::api {
namespace {

constexpr int64_t kManifestLimit = 64 << 20;
constexpr int64_t kBlobLimit = int64_t{4} << 30;
constexpr int64_t kPackLimit = 16 << 20;

// Runs in the pool: a manifest may name a hundred thousand files.
Result<http::Response> TakeManifest(store::CodeStore& code, const std::string& text) {
  MUSTER_ASSIGN(const json::value document, ParseJson(text));
  MUSTER_ASSIGN(const store::CodeManifest manifest, store::CodeManifestFromJson(document));
  const std::string hash = store::ManifestHash(manifest);
  json::array missing;
  if (!code.HasTree(hash)) {
    for (const std::string& sum : code.Missing(manifest)) missing.push_back(json::value(sum));
    if (missing.empty()) MUSTER_TRY(code.Commit(manifest));
  }
  const bool complete = missing.empty();
  return http::JsonResponse(
      200, json::object{{"hash", hash}, {"complete", complete}, {"missing", std::move(missing)}});
}

// A wrong hash is a fault of the request rather than of stored data.
std::unexpected<Error> RefuseUpload(Error error) {
  if (error.code == Code::kCorrupt) {
    error.code = Code::kInvalid;
    error.next = "send the file again; it may have changed while it was read";
  }
  return std::unexpected(std::move(error));
}

// The bytes of one file on their way to the store.
class BlobSink final : public http::BodySink {
 public:
  BlobSink(ContextPtr context, store::CodeStore::Upload upload, std::string sum, int64_t size)
      : context_(std::move(context)),
        upload_(std::make_shared<store::CodeStore::Upload>(std::move(upload))),
        sum_(std::move(sum)),
        size_(size) {}

  Status Write(std::string_view bytes) override { return upload_->Write(bytes); }

  void Finish(http::Reply reply) override {
    AnswerFromPool(
        context_, std::move(reply),
        [upload = std::move(upload_), sum = sum_, size = size_]() -> Result<http::Response> {
          if (Status status = upload->Finish(); !status) return RefuseUpload(status.error());
          return http::JsonResponse(201, json::object{{"sha256", sum}, {"size", size}});
        });
  }

 private:
  ContextPtr context_;
  std::shared_ptr<store::CodeStore::Upload> upload_;  // shared, because the pool's work holds it
  std::string sum_;
  int64_t size_;
};

Result<std::unique_ptr<http::BodySink>> BeginBlob(const ContextPtr& context,
                                                  const http::Request& head) {
  const std::optional<int64_t> size = ParseInt(http::FindHeader(head.headers, "Content-Length"));
  if (!size || *size < 0)
    return Fail(Code::kInvalid, "an upload needs a Content-Length", "send it whole, not in chunks");
  std::string sum(head.Param("sha256"));
  MUSTER_ASSIGN(store::CodeStore::Upload upload, context->parts.code.Begin(sum, *size));
  return std::make_unique<BlobSink>(context, std::move(upload), std::move(sum), *size);
}

// Many small files in one body, which is held in memory.
class PackSink final : public http::BodySink {
 public:
  explicit PackSink(ContextPtr context) : context_(std::move(context)) {}

  Status Write(std::string_view bytes) override {
    pack_ += bytes;
    return {};
  }

  void Finish(http::Reply reply) override {
    AnswerFromPool(context_, std::move(reply),
                   [context = context_, pack = std::move(pack_)]() -> Result<http::Response> {
                     const auto packed = context->parts.code.AddPack(pack);
                     if (!packed) return RefuseUpload(packed.error());
                     return http::JsonResponse(201, json::object{{"files", packed->files}});
                   });
  }

 private:
  ContextPtr context_;
  std::string pack_;
};

}  // namespace

void AddCodeRoutes(RouteTable& table, const ContextPtr& context) {
  table.AddLater(
      {.method = "POST",
       .path = "/code",
       .id = "sendCode",
       .summary = "Name a code folder's files; the snapshot is made when all bytes are here",
       .body = "CodeManifest",
       .body_later = true,
       .body_limit = kManifestLimit,
       .answers = {{200, "the snapshot's hash, and which bytes are still to be sent",
                    "CodeState"}}},
      [context](const Call& call, http::Reply reply) {
        AnswerFromPool(context, std::move(reply), [context, text = call.request.body] {
          return TakeManifest(context->parts.code, text);
        });
      });
  table.AddUpload({.method = "PUT",
                   .path = "/code/blobs/{sha256}",
                   .id = "sendBlob",
                   .summary = "Send one file's bytes",
                   .uploads = true,
                   .body_limit = kBlobLimit,
                   .answers = {{201, "the bytes are stored, and have the right sum", "Blob"}}},
                  [context](const http::Request& head) { return BeginBlob(context, head); });
  table.AddUpload({.method = "PUT",
                   .path = "/code/blobs",
                   .id = "sendBlobs",
                   .summary = "Send many small files: for each its SHA-256, a space, its size, a "
                              "line feed, and its bytes",
                   .uploads = true,
                   .body_limit = kPackLimit,
                   .answers = {{201, "all bytes are stored, and have the right sums", "Blobs"}}},
                  [context](const http::Request&) { return std::make_unique<PackSink>(context); });
}

}  // namespace muster::api
