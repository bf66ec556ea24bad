#include "transfer/fetch.h"

#include <fmt/format.h>

#include "base/text.h"
#include "s3/checksum.h"

namespace muster::transfer {
namespace {

constexpr int kMostRedirections = 5;

// Passes bytes to the sink, counts them and computes digests.
class Receiver {
 public:
  Receiver(Worker& worker, const Sink& sink, std::optional<s3::DigestKind> kind, bool whole)
      : worker_(worker), sink_(sink), kind_(kind), whole_(whole) {}

  void Begin(const ObjectInfo& info) {
    if (!kind_) kind_ = KindFor(info.checksum, info.etag_is_md5, whole_);
  }
  bool Take(std::string_view bytes) {
    if (!digest_) Open();
    digest_->Add(bytes);
    if (crc_) crc_->Add(bytes);
    bytes_ += static_cast<int64_t>(bytes.size());
    status_ = sink_(bytes);
    if (status_ && !worker_.session.Moved(static_cast<int64_t>(bytes.size()))) {
      status_ = Fail(Code::kConflict, "the copy was stopped");
    }
    return status_.has_value();
  }
  Outcome<Fetched> Finish(Outcome<ObjectInfo> info) {
    if (!status_) return std::unexpected(Trouble(status_.error()));
    if (!info) return std::unexpected(std::move(info).error());
    if (!digest_) {
      Begin(*info);
      Open();
    }
    Fetched fetched{std::move(*info), bytes_, *kind_, digest_->Finish(), {}};
    fetched.crc32c = crc_ ? crc_->Finish() : fetched.digest;
    return fetched;
  }
  int64_t bytes() const { return bytes_; }

 private:
  void Open() {
    if (!kind_) kind_ = s3::DigestKind::kCrc32c;
    digest_.emplace(*kind_);
    if (*kind_ != s3::DigestKind::kCrc32c) crc_.emplace(s3::DigestKind::kCrc32c);
  }

  Worker& worker_;
  const Sink& sink_;
  std::optional<s3::DigestKind> kind_;
  const bool whole_;
  std::optional<s3::Digest> digest_, crc_;
  int64_t bytes_ = 0;
  Status status_;
};

// The Trouble for a response of a plain web server.
Trouble Refused(const http::Response& response, const Location& at) {
  return TroubleOf(response, "read " + Show(at));
}

Outcome<ObjectInfo> GetAddress(Worker& worker, const Item& item, const GetRange& range,
                               Receiver& receiver) {
  MUSTER_ASSIGN(http::Client* const client, worker.HostFor(item.at.origin));
  http::Call call;
  call.target = item.at.target;
  if (range.length >= 0) {
    call.headers.emplace_back(
        "Range", fmt::format("bytes={}-{}", range.offset, range.offset + range.length - 1));
    if (!range.if_etag.empty()) call.headers.emplace_back("If-Match", '"' + range.if_etag + '"');
  }
  call.begin = [&](const http::Response& head) { receiver.Begin(ReadObjectHead(head)); };
  call.take = [&](std::string_view bytes) { return receiver.Take(bytes); };
  auto response = client->Do(call);
  if (!response) {
    response.error().text = fmt::format("cannot read {}: {}", Show(item.at), response.error().text);
    return std::unexpected(Trouble(std::move(response).error()));
  }
  const int wanted = range.length >= 0 ? 206 : 200;
  if (response->status != wanted) return std::unexpected(Refused(*response, item.at));
  ObjectInfo info = ReadObjectHead(*response);
  info.etag_is_md5 = false;  // the ETag of a web server may be any text
  return info;
}

// The target of a 3xx response. Nothing if the redirection is not allowed.
std::optional<Location> Redirection(const http::Response& response, const Location& from) {
  std::string to(http::FindHeader(response.headers, "Location"));
  if (to.starts_with("//")) to.insert(0, from.origin.substr(0, from.origin.find(':') + 1));
  if (to.starts_with('/')) to.insert(0, from.origin);
  auto location = ParseLocation(to);
  const bool web = location && location->kind == Location::Kind::kHttp;
  // A secret in an https URL must not be sent over http.
  const bool weaker =
      web && from.origin.starts_with("https:") && location->origin.starts_with("http:");
  return web && !weaker ? std::optional(std::move(*location)) : std::nullopt;
}

Item ItemOf(const http::Response& response, const Location& at) {
  const ObjectInfo info = ReadObjectHead(response);
  Item item;
  item.at = at;
  item.size = info.size;
  item.mtime_ms = info.mtime_ms;
  item.etag = info.etag;
  item.knows_ranges = response.status == 206 && !info.etag.empty() &&
                      !http::FindHeader(response.headers, "ETag").starts_with("W/");
  const bool told =
      response.status == 206 || !http::FindHeader(response.headers, "Content-Length").empty();
  if (!told) item.size = -1;
  item.identity = fmt::format("{} {} {}", item.etag, item.size, item.mtime_ms);
  return item;
}

}  // namespace

s3::DigestKind KindFor(const std::optional<s3::Checksum>& checksum, bool etag_is_md5, bool whole) {
  if (checksum && (whole || s3::IsCrc(checksum->kind))) return checksum->kind;
  if (etag_is_md5 && whole) return s3::DigestKind::kMd5;
  return s3::DigestKind::kCrc32c;
}

Result<Check> Judge(const std::optional<s3::Checksum>& checksum, const std::string& md5_etag,
                    s3::DigestKind kind, const std::string& digest) {
  const auto corrupt = [&] {
    return Fail(Code::kCorrupt, "what came is not what was stored: the checksums differ",
                "try again; if it stays so, the object itself is damaged");
  };
  if (checksum && checksum->kind == kind) {
    if (s3::Base64(digest) != checksum->value) return corrupt();
    return kind == s3::DigestKind::kSha256 ? Check::kSha256 : Check::kCrc;
  }
  if (kind == s3::DigestKind::kMd5 && !md5_etag.empty()) {
    if (s3::Hex(digest) != Lower(md5_etag)) return corrupt();
    return Check::kMd5;
  }
  return Check::kLength;
}

Result<Store*> StoreOf(Worker& worker, const Item& item) {
  if (item.at.kind != Location::Kind::kObject) return nullptr;
  MUSTER_ASSIGN(S3Client* const client, worker.StoreFor(item.at.profile));
  return &client->store();
}

Outcome<Fetched> Fetch(Worker& worker, const Item& item, const GetRange& range,
                       std::optional<s3::DigestKind> kind, const Sink& sink) {
  const bool whole = range.length < 0 || range.length == item.size;
  Receiver receiver(worker, sink, kind, whole);
  Outcome<ObjectInfo> info;
  if (item.at.kind == Location::Kind::kHttp) {
    info = GetAddress(worker, item, range, receiver);
  } else {
    MUSTER_ASSIGN(S3Client* const client, worker.StoreFor(item.at.profile));
    info = client->Get(
        item.at.bucket, item.at.key, range, [&](const ObjectInfo& head) { receiver.Begin(head); },
        [&](std::string_view bytes) { return receiver.Take(bytes); });
  }
  MUSTER_ASSIGN(Fetched fetched, receiver.Finish(std::move(info)));
  const int64_t expected = range.length >= 0 ? range.length : item.size;
  if (expected >= 0 && fetched.bytes != expected) {
    return std::unexpected(Trouble(Error{Code::kCorrupt,
                                         fmt::format("cannot read {}: {} bytes came, expected {}",
                                                     Show(item.at), fetched.bytes, expected),
                                         "try again when nothing writes to it", 0}));
  }
  return fetched;
}

Outcome<Item> ProbeAddress(Worker& worker, const Location& location) {
  Location at = location;
  for (int hops = 0; hops <= kMostRedirections; ++hops) {
    MUSTER_ASSIGN(http::Client* const client, worker.HostFor(at.origin));
    http::Call call;
    call.target = at.target;
    // URLs signed for GET reject HEAD.
    call.headers = {{"Range", "bytes=0-0"}};
    call.take = [](std::string_view) { return false; };
    MUSTER_ASSIGN(const http::Response response, client->Do(call));
    if (response.status == 200 || response.status == 206 || response.status == 416) {
      Item item = ItemOf(response, at);
      if (response.status == 416) item.size = 0;  // offset 0 does not exist: the source is empty
      item.name = LastName(location);
      return item;
    }
    const auto next = response.status / 100 == 3 ? Redirection(response, at) : std::nullopt;
    if (!next) return std::unexpected(Refused(response, at));
    at = *next;
  }
  return std::unexpected(Trouble(
      Error{Code::kInvalid, fmt::format("cannot read {}: it redirects without end", Show(location)),
            "", 0}));
}

}  // namespace muster::transfer
