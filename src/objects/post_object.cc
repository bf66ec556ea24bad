// POST of a form to a bucket: a web page uploads a file with a policy that the owner signed.
#include <fmt/format.h>

#include "base/text.h"
#include "objects/answers.h"
#include "objects/key_path.h"
#include "objects/object_headers.h"
#include "objects/operations.h"
#include "objects/post_policy.h"
#include "s3/uri.h"
#include "s3/xml.h"

namespace muster::objects {
namespace {

// The key that the form asks for, with the file's own name in it.
S3Result<std::string> KeyOf(const PostForm& form) {
  std::string key(form.Field("key"));
  constexpr std::string_view kFilename = "${filename}";
  if (const size_t at = key.find(kFilename); at != std::string::npos) {
    key.replace(at, kFilename.size(), form.filename);
  }
  if (key.empty()) {
    return Refuse(S3Code::kInvalidArgument,
                  "Bucket POST must contain a field named 'key'. If it is specified, please check "
                  "the order of the fields.");
  }
  if (key.size() > kLongestKey) return Refuse(S3Code::kKeyTooLong);
  return key;
}

// The fields as the headers of a PUT of the same object.
S3Request AsPut(const S3Request& post, const PostForm& form, const std::string& key) {
  S3Request put = post;
  put.method = "PUT";
  put.key = key;
  put.headers.clear();
  for (const auto& [name, value] : form.fields) {
    if (name == "acl") {
      put.headers.emplace_back("x-amz-acl", value);
    } else if (name != "tagging" && name != "policy" && name != "signature") {
      put.headers.emplace_back(name, value);
    }
  }
  return put;
}

class FormTarget final : public BodyTarget {
 public:
  FormTarget(CallPtr call, std::string_view boundary)
      : call_(std::move(call)),
        reader_(
            boundary, [this](const PostForm& form) { return Begin(form); },
            [this](std::string_view bytes) { return Write(bytes); }) {}

  S3Status Take(const s3::SharedPiece& piece) override { return reader_.Feed(piece->bytes()); }
  void Done(const BodySums&) override {
    if (const auto ended = Finish(); !ended) return call_->Fail(ended.error());
    const S3Request& request = call_->request;
    call_->parts.store.Put(request.bucket, key_, std::move(*file_), std::move(meta_), {},
                           [call = call_, form = form_, key = key_](S3Result<ObjectMeta> meta) {
                             if (!meta) return call->Fail(meta.error());
                             call->Answer(Success(*call, form, key, *meta));
                           });
  }

 private:
  S3Status Begin(const PostForm& form);
  S3Status Write(std::string_view bytes);
  S3Status Finish();
  static http::Response Success(const Call& call, const PostForm& form, const std::string& key,
                                const ObjectMeta& meta);

  const CallPtr call_;
  FormReader reader_;
  PostForm form_;
  std::string key_;
  ObjectMeta meta_;
  LengthRange range_;
  std::optional<s3::Checksum> wanted_;
  s3::Digest md5_{s3::DigestKind::kMd5};
  std::optional<s3::Digest> checksum_;
  std::optional<TempFile> file_;
};

// All fields are here: decides whether the file may come.
S3Status FormTarget::Begin(const PostForm& form) {
  form_ = form;
  MUSTER_ASSIGN(key_, KeyOf(form));
  for (auto& [name, value] : form_.fields) {
    if (name == "key") value = key_;  // the policy is about the key with the file's name in it
  }
  Call& call = *call_;
  MUSTER_ASSIGN(call.caller.key, AuthenticateForm(form, call.parts.keys, call.parts.accept_v2));
  const auto policy = s3::FromBase64(form.Field("policy"));
  if (!policy) return Refuse(S3Code::kInvalidPolicyDocument);
  MUSTER_ASSIGN(range_,
                CheckPolicy(*policy, form_, call.request.bucket, call.parts.clock.WallMs()));
  MUSTER_TRY(call.MayWrite(call.request.bucket, key_));
  const S3Request put = AsPut(call.request, form, key_);
  MUSTER_ASSIGN(meta_, MetaOfRequest(put));
  if (meta_.content_type.empty()) meta_.content_type = form.file_type;
  if (const std::string_view tags = form.Field("tagging"); !tags.empty()) {
    MUSTER_ASSIGN(meta_.tags, ReadTagDocument(tags, kMostObjectTags));
  }
  MUSTER_ASSIGN(wanted_, GivenChecksum(put));
  if (wanted_) checksum_.emplace(wanted_->kind);
  MUSTER_TRY(call.parts.store.OpenBucket(call.request.bucket));
  MUSTER_ASSIGN(file_, call.parts.store.NewFile());
  return {};
}

S3Status FormTarget::Write(std::string_view bytes) {
  if (file_->size() + static_cast<int64_t>(bytes.size()) > range_.most) {
    return Refuse(S3Code::kEntityTooLarge, "Your proposed upload exceeds the maximum allowed size");
  }
  md5_.Add(bytes);
  if (checksum_) checksum_->Add(bytes);
  MUSTER_TRY(file_->Write(bytes));
  return {};
}

S3Status FormTarget::Finish() {
  MUSTER_TRY(reader_.End());
  if (file_->size() < range_.least) {
    return Refuse(S3Code::kEntityTooSmall,
                  "Your proposed upload is smaller than the minimum allowed size");
  }
  meta_.etag = s3::Hex(md5_.Finish());
  if (!wanted_) return {};
  meta_.checksum = s3::Checksum{wanted_->kind, s3::Base64(checksum_->Finish())};
  if (meta_.checksum->value != wanted_->value) return Refuse(S3Code::kBadDigest);
  return {};
}

http::Response FormTarget::Success(const Call& call, const PostForm& form, const std::string& key,
                                   const ObjectMeta& meta) {
  const std::string& bucket = call.request.bucket;
  const std::string place =
      fmt::format("http://{}/{}/{}", call.request.Header("Host"), bucket, s3::UriEncode(key, true));
  http::Response response{204, {{"ETag", Quoted(meta.etag)}, {"Location", place}}, {}};
  AddChecksum(meta.checksum, response.headers);
  std::string_view page = form.Field("success_action_redirect");
  if (page.empty()) page = form.Field("redirect");
  const std::string_view status = form.Field("success_action_status");
  if (page.starts_with("http://") || page.starts_with("https://")) {
    response.status = 303;
    response.headers[1].second =
        fmt::format("{}{}bucket={}&key={}&etag={}", page, page.contains('?') ? '&' : '?', bucket,
                    s3::UriEncode(key, true), s3::UriEncode(Quoted(meta.etag), true));
  } else if (status == "200") {
    response.status = 200;
  } else if (status == "201") {
    response.status = 201;
    response.headers.emplace_back("Content-Type", "application/xml");
    response.body = s3::XmlWriter("PostResponse", "")
                        .Add("Location", place)
                        .Add("Bucket", bucket)
                        .Add("Key", key)
                        .Add("ETag", Quoted(meta.etag))
                        .Finish();
  }
  return response;
}

}  // namespace

S3Result<std::unique_ptr<BodyTarget>> OpenForm(const CallPtr& call, const BodyCheck&) {
  const std::string boundary = BoundaryOf(call->request.Header("Content-Type"));
  if (boundary.empty()) {
    return Refuse(S3Code::kPreconditionFailed,
                  "Bucket POST must be of the enclosure-type multipart/form-data");
  }
  return std::make_unique<FormTarget>(call, boundary);
}

}  // namespace muster::objects
