#include "transfer/s3_client.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "s3/digest.h"
#include "s3/signature.h"
#include "s3/uri.h"

namespace muster::transfer {
namespace {

constexpr std::string_view kUnsigned = "UNSIGNED-PAYLOAD";
constexpr std::string_view kCrcHeader = "x-amz-checksum-crc32c";

std::string Shown(std::string_view bucket, std::string_view key) {
  return Printable(fmt::format("s3://{}/{}", bucket, key));
}

std::string RangeHeader(const GetRange& range) {
  return fmt::format("bytes={}-{}", range.offset, range.offset + range.length - 1);
}

http::Headers BodyHeaders(const SealedBody& body, const http::Headers& kept) {
  http::Headers headers = kept;
  if (!body.crc32c.empty()) {
    headers.emplace_back(kCrcHeader, body.crc32c);
    headers.emplace_back("x-amz-sdk-checksum-algorithm", "CRC32C");
  }
  return headers;
}

PutAnswer ReadPut(const http::Response& response, const SealedBody& body) {
  const std::string_view crc = Trim(http::FindHeader(response.headers, kCrcHeader));
  return {Unquoted(http::FindHeader(response.headers, "ETag")),
          !body.crc32c.empty() && crc == body.crc32c};
}

// The retry of a request whose success response has an unusable body.
Trouble Unreadable(const http::Response& response, Error error) {
  Trouble trouble(std::move(error));
  trouble.status = response.status;
  return trouble;
}

}  // namespace

// An unsigned request.
struct S3Client::Request {
  std::string what;  // operation and object, for errors
  std::string method;
  std::string bucket = {}, key = {};
  Signer::Query query = {};
  http::Headers headers = {};
  std::string_view text = {};
  const SealedBody* body = nullptr;
  std::function<void(const http::Response&)> begin = {};
  std::function<bool(std::string_view)> take = {};
  bool may_hold_error = false;  // the body of a 200 response may contain an error
};

S3Client::S3Client(std::shared_ptr<Store> store, const Clock& clock, int64_t patience_ms)
    : store_(std::move(store)), clock_(clock), patience_ms_(patience_ms) {}
S3Client::~S3Client() = default;

Result<http::Client*> S3Client::ClientFor(const std::string& origin, const std::string& ca_file) {
  auto& client = clients_[origin];
  if (!client) {
    MUSTER_ASSIGN(
        client, http::Client::Create(
                    {.url = origin, .token = {}, .ca_file = ca_file, .timeout_ms = patience_ms_}));
  }
  return client.get();
}

Outcome<http::Response> S3Client::Send(Request request) {
  const Profile profile = store_->profile();
  const Address address = AddressOf(profile, request.bucket, request.key);
  MUSTER_ASSIGN(http::Client* const client, ClientFor(address.origin, profile.ca_file));
  std::string hash;
  if (request.body == nullptr) {
    hash = s3::Hex(s3::DigestOf(s3::DigestKind::kSha256, request.text));
  } else {
    hash = request.body->sha256.empty() ? std::string(kUnsigned) : request.body->sha256;
  }
  signer_.Sign(profile, address, request.method, request.query, hash,
               clock_.WallMs() + store_->skew_ms(), request.headers);
  http::Call call;
  call.method = request.method;
  call.target = s3::UriEncode(address.path, true);
  if (!request.query.empty()) call.target += "?" + s3::CanonicalQueryV4(request.query);
  call.headers = std::move(request.headers);
  call.body = request.text;
  call.begin = std::move(request.begin);
  call.take = std::move(request.take);
  if (request.body != nullptr) {
    call.file = request.body->file;
    call.sent = request.body->sent;
  }
  auto response = client->Do(call);
  if (!response) {
    Trouble trouble(std::move(response).error());
    trouble.error.text = fmt::format("cannot {}: {}", request.what, trouble.error.text);
    return std::unexpected(std::move(trouble));
  }
  store_->MeetServer(http::FindHeader(response->headers, "Server"));
  const bool good =
      response->status / 100 == 2 && !(request.may_hold_error && HoldsError(*response));
  if (!good) return std::unexpected(TroubleOf(*response, request.what, request.bucket));
  return std::move(*response);
}

Outcome<std::vector<BucketInfo>> S3Client::Buckets() {
  MUSTER_ASSIGN(const auto response,
                Send({.what = "list the buckets", .method = "GET", .bucket = {}, .key = {}}));
  auto buckets = ReadBuckets(response.body);
  if (!buckets) return std::unexpected(Unreadable(response, std::move(buckets).error()));
  return std::move(*buckets);
}

Outcome<void> S3Client::MakeBucket(const std::string& bucket) {
  MUSTER_TRY(
      Send({.what = "make the bucket " + bucket, .method = "PUT", .bucket = bucket, .key = {}}));
  return {};
}

Outcome<void> S3Client::RemoveBucket(const std::string& bucket) {
  MUSTER_TRY(Send(
      {.what = "remove the bucket " + bucket, .method = "DELETE", .bucket = bucket, .key = {}}));
  return {};
}

Outcome<ListPage> S3Client::List(const std::string& bucket, const std::string& prefix,
                                 const std::string& delimiter, const std::string& token, int most) {
  Request request{
      .what = "list " + Shown(bucket, prefix), .method = "GET", .bucket = bucket, .key = {}};
  request.query = {{"list-type", "2"}, {"encoding-type", "url"}};
  if (!prefix.empty()) request.query.emplace_back("prefix", prefix);
  if (!delimiter.empty()) request.query.emplace_back("delimiter", delimiter);
  if (!token.empty()) request.query.emplace_back("continuation-token", token);
  if (most > 0) request.query.emplace_back("max-keys", std::to_string(most));
  if (store_->near()) request.query.emplace_back("muster-near", "");
  MUSTER_ASSIGN(const auto response, Send(std::move(request)));
  auto page = ReadListPage(response.body);
  if (!page) return std::unexpected(Unreadable(response, std::move(page).error()));
  return std::move(*page);
}

Outcome<ObjectInfo> S3Client::Head(const std::string& bucket, const std::string& key) {
  Request request{
      .what = "look at " + Shown(bucket, key), .method = "HEAD", .bucket = bucket, .key = key};
  request.headers = {{"x-amz-checksum-mode", "ENABLED"}};
  MUSTER_ASSIGN(const auto response, Send(std::move(request)));
  ObjectInfo info = ReadObjectHead(response);
  info.key = key;
  return info;
}

Outcome<ObjectInfo> S3Client::Get(const std::string& bucket, const std::string& key,
                                  const GetRange& range,
                                  const std::function<void(const ObjectInfo&)>& begin,
                                  const std::function<bool(std::string_view)>& take) {
  Request request{
      .what = "read " + Shown(bucket, key), .method = "GET", .bucket = bucket, .key = key};
  request.headers = {{"x-amz-checksum-mode", "ENABLED"}};
  if (range.length >= 0) request.headers.emplace_back("Range", RangeHeader(range));
  if (!range.if_etag.empty()) {
    request.headers.emplace_back("If-Match", '"' + range.if_etag + '"');
  }
  request.begin = [&](const http::Response& head) { begin(ReadObjectHead(head)); };
  request.take = take;
  MUSTER_ASSIGN(const auto response, Send(std::move(request)));
  if (range.length >= 0 && response.status != 206) {
    return std::unexpected(Trouble(
        Error{Code::kInvalid,
              fmt::format("cannot read {}: the server does not know ranges", Shown(bucket, key)),
              "", 0}));
  }
  ObjectInfo info = ReadObjectHead(response);
  info.key = key;
  return info;
}

Outcome<PutAnswer> S3Client::Put(const std::string& bucket, const std::string& key,
                                 const SealedBody& body, const http::Headers& kept) {
  Request request{
      .what = "write " + Shown(bucket, key), .method = "PUT", .bucket = bucket, .key = key};
  request.headers = BodyHeaders(body, kept);
  request.body = &body;
  MUSTER_ASSIGN(const auto response, Send(std::move(request)));
  return ReadPut(response, body);
}

Outcome<void> S3Client::PutArchive(const std::string& bucket, const std::string& key,
                                   std::string_view archive) {
  const http::Headers headers = {{"x-amz-meta-snowball-auto-extract", "true"}};
  MUSTER_TRY(Send({"write objects to s3://" + bucket, "PUT", bucket, key, {}, headers, archive}));
  return {};
}

Outcome<std::string> S3Client::Copy(const std::string& from_bucket, const std::string& from_key,
                                    const std::string& if_etag, const std::string& bucket,
                                    const std::string& key) {
  Request request{
      .what = fmt::format("copy {} to {}", Shown(from_bucket, from_key), Shown(bucket, key)),
      .method = "PUT",
      .bucket = bucket,
      .key = key};
  request.headers = {
      {"x-amz-copy-source", s3::UriEncode("/" + from_bucket + "/" + from_key, true)}};
  if (!if_etag.empty()) {
    request.headers.emplace_back("x-amz-copy-source-if-match", '"' + if_etag + '"');
  }
  request.may_hold_error = true;
  MUSTER_ASSIGN(const auto response, Send(std::move(request)));
  auto etag = ReadResultETag(response.body);
  if (!etag) return std::unexpected(Unreadable(response, std::move(etag).error()));
  return std::move(*etag);
}

Outcome<std::vector<DeleteFault>> S3Client::Delete(const std::string& bucket,
                                                   std::span<const std::string> keys) {
  std::vector<std::string> together;
  for (const std::string& key : keys) {
    if (FitsXml(key)) {
      together.push_back(key);
      continue;
    }
    MUSTER_TRY(Send({.what = "delete " + Shown(bucket, key),
                     .method = "DELETE",
                     .bucket = bucket,
                     .key = key}));
  }
  if (together.empty()) return std::vector<DeleteFault>();
  const std::string document = WriteDelete(together);
  Request request{
      .what = "delete objects in s3://" + bucket, .method = "POST", .bucket = bucket, .key = {}};
  request.query = {{"delete", ""}};
  request.headers = {{"Content-MD5", s3::Base64(s3::DigestOf(s3::DigestKind::kMd5, document))},
                     {"Content-Type", "application/xml"}};
  request.text = document;
  request.may_hold_error = true;
  MUSTER_ASSIGN(const auto response, Send(std::move(request)));
  auto faults = ReadDeleteFaults(response.body);
  if (!faults) return std::unexpected(Unreadable(response, std::move(faults).error()));
  return std::move(*faults);
}

Outcome<UploadStart> S3Client::BeginUpload(const std::string& bucket, const std::string& key,
                                           const http::Headers& kept) {
  Request request{.what = "begin to write " + Shown(bucket, key),
                  .method = "POST",
                  .bucket = bucket,
                  .key = key};
  request.query = {{"uploads", ""}};
  request.headers = kept;
  if (store_->checks_crc()) {
    request.headers.emplace_back("x-amz-checksum-algorithm", "CRC32C");
    request.headers.emplace_back("x-amz-checksum-type", "FULL_OBJECT");
  }
  MUSTER_ASSIGN(const auto response, Send(std::move(request)));
  auto id = ReadUploadId(response.body);
  if (!id) return std::unexpected(Unreadable(response, std::move(id).error()));
  const bool with_crc =
      http::FindHeader(response.headers, "x-amz-checksum-algorithm") == "CRC32C" &&
      http::FindHeader(response.headers, "x-amz-checksum-type") == "FULL_OBJECT";
  return UploadStart{std::move(*id), with_crc};
}

Outcome<PutAnswer> S3Client::PutPart(const std::string& bucket, const std::string& key,
                                     const std::string& upload, int number,
                                     const SealedBody& body) {
  Request request{.what = fmt::format("write part {} of {}", number, Shown(bucket, key)),
                  .method = "PUT",
                  .bucket = bucket,
                  .key = key};
  request.query = {{"partNumber", std::to_string(number)}, {"uploadId", upload}};
  request.headers = BodyHeaders(body, {});
  request.body = &body;
  MUSTER_ASSIGN(const auto response, Send(std::move(request)));
  return ReadPut(response, body);
}

Outcome<std::string> S3Client::CopyPart(const std::string& from_bucket, const std::string& from_key,
                                        const GetRange& range, const std::string& bucket,
                                        const std::string& key, const std::string& upload,
                                        int number) {
  Request request{.what = fmt::format("copy part {} of {} to {}", number,
                                      Shown(from_bucket, from_key), Shown(bucket, key)),
                  .method = "PUT",
                  .bucket = bucket,
                  .key = key};
  request.query = {{"partNumber", std::to_string(number)}, {"uploadId", upload}};
  request.headers = {{"x-amz-copy-source", s3::UriEncode("/" + from_bucket + "/" + from_key, true)},
                     {"x-amz-copy-source-range", RangeHeader(range)}};
  if (!range.if_etag.empty()) {
    request.headers.emplace_back("x-amz-copy-source-if-match", '"' + range.if_etag + '"');
  }
  request.may_hold_error = true;
  MUSTER_ASSIGN(const auto response, Send(std::move(request)));
  auto etag = ReadResultETag(response.body);
  if (!etag) return std::unexpected(Unreadable(response, std::move(etag).error()));
  return std::move(*etag);
}

Outcome<std::string> S3Client::Complete(const std::string& bucket, const std::string& key,
                                        const std::string& upload,
                                        std::span<const CompletedPart> parts,
                                        const std::string& crc32c) {
  const std::string document = WriteComplete(parts);
  Request request{
      .what = "complete " + Shown(bucket, key), .method = "POST", .bucket = bucket, .key = key};
  request.query = {{"uploadId", upload}};
  request.headers = {{"Content-Type", "application/xml"}};
  if (!crc32c.empty()) {
    request.headers.emplace_back(kCrcHeader, crc32c);
    request.headers.emplace_back("x-amz-checksum-type", "FULL_OBJECT");
  }
  request.text = document;
  request.may_hold_error = true;
  MUSTER_ASSIGN(const auto response, Send(std::move(request)));
  auto etag = ReadResultETag(response.body);
  if (!etag) return std::unexpected(Unreadable(response, std::move(etag).error()));
  return std::move(*etag);
}

Outcome<void> S3Client::Abort(const std::string& bucket, const std::string& key,
                              const std::string& upload) {
  Request request{.what = "abandon the upload of " + Shown(bucket, key),
                  .method = "DELETE",
                  .bucket = bucket,
                  .key = key};
  request.query = {{"uploadId", upload}};
  MUSTER_TRY(Send(std::move(request)));
  return {};
}

template <typename T>
Outcome<T> S3Client::Ask(Request request, Result<T> (*read)(std::string_view)) {
  MUSTER_ASSIGN(const auto response, Send(std::move(request)));
  auto answer = read(response.body);
  if (!answer) return std::unexpected(Unreadable(response, std::move(answer).error()));
  return std::move(*answer);
}

Outcome<NearAnswer> S3Client::Near() {
  return Ask({.what = "ask where the store is", .method = "GET", .query = {{"muster-near", ""}}},
             ReadNear);
}

Outcome<std::string> S3Client::Stamp(const std::string& bucket, const std::string& prefix) {
  return Ask({.what = "look at " + Shown(bucket, prefix),
              .method = "GET",
              .bucket = bucket,
              .query = {{"muster-stamp", ""}, {"prefix", prefix}}},
             ReadStamp);
}

Outcome<std::vector<StoreKey>> S3Client::Keys() {
  return Ask({.what = "list the keys", .method = "GET", .query = {{"muster-keys", ""}}}, ReadKeys);
}

Outcome<StoreKey> S3Client::MakeKey(const StoreKey& wanted) {
  const std::string document = WriteNewKey(wanted);
  return Ask({.what = "make a key",
              .method = "POST",
              .query = {{"muster-keys", ""}},
              .headers = {{"Content-Type", "application/xml"}},
              .text = document},
             ReadNewKey);
}

Outcome<void> S3Client::RevokeKey(const std::string& access_key) {
  MUSTER_TRY(Send({.what = "revoke the key " + Printable(access_key),
                   .method = "DELETE",
                   .query = {{"muster-keys", access_key}}}));
  return {};
}

Outcome<void> S3Client::Adopt(const std::string& bucket, std::span<const Offer> offers) {
  const std::string document = WriteAdopt(offers);
  Request request{.what = "write to s3://" + bucket, .method = "POST", .bucket = bucket, .key = {}};
  request.query = {{"muster-adopt", ""}};
  request.headers = {{"Content-Type", "application/xml"}};
  request.text = document;
  MUSTER_TRY(Send(std::move(request)));
  return {};
}

std::string S3Client::Presign(const std::string& method, const std::string& bucket,
                              const std::string& key, int64_t seconds) {
  const Profile profile = store_->profile();
  return signer_.Presign(profile, AddressOf(profile, bucket, key), method, {}, seconds,
                         clock_.WallMs() + store_->skew_ms());
}

}  // namespace muster::transfer
