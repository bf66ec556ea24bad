#include "objects/call.h"

#include <atomic>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "objects/cors.h"
#include "s3/xml.h"

namespace muster::objects {
namespace {

// Unique among the requests of this server, and with high probability among all servers.
std::string NewRequestId() {
  static const std::string run = os::RandomHex(4);
  static std::atomic<uint32_t> last = 0;
  return fmt::format("{}{:08x}", run, ++last);
}

}  // namespace

Call::Call(S3Parts& its_parts, os::Loop& loop, S3Request its_request)
    : parts(its_parts), request(std::move(its_request)), loop_(loop), id_(NewRequestId()) {}

void Call::OnLoop(std::function<void()> fn) {
  if (std::this_thread::get_id() == loop_thread_) return fn();
  loop_.Post(std::move(fn));
}

http::Response Call::Finished(http::Response response) const {
  response.headers.emplace_back(request.Named("request-id"), id_);
  response.headers.emplace_back("Cache-Control", "");  // default, unless the object has a value
  AddCorsHeaders(parts.settings, request, response.headers);
  return response;
}

http::Response Call::ErrorResponse(const S3Error& error) const {
  if (!error.log.empty()) {
    LogError("{} /{}/{}: {}", request.method, Printable(request.bucket), Printable(request.key),
             error.log);
  }
  http::Response response{.status = StatusOf(error.code), .headers = error.headers};
  if (response.status != 304) {
    response.headers.emplace_back("Content-Type", "application/xml");
    s3::XmlWriter xml("Error", "");
    xml.Add("Code", CodeNameOf(error.code)).Add("Message", error.message);
    for (const auto& [name, value] : error.details) xml.Add(name, value);
    xml.Add("Resource", request.raw_path).Add("RequestId", id_).Add("HostId", "muster");
    response.body = xml.Finish();
  }
  return Finished(std::move(response));
}

void Call::Answer(http::Response response) {
  OnLoop([self = shared_from_this(),
          finished = std::make_shared<http::Response>(Finished(std::move(response)))] {
    if (self->reply_) self->reply_->Send(std::move(*finished));
    self->reply_.reset();
  });
}

void Call::AnswerFile(http::Response head, http::FileBody file) {
  struct Parcel {
    http::Response head;
    http::FileBody body;
  };
  const auto parcel = std::make_shared<Parcel>(Parcel{Finished(std::move(head)), std::move(file)});
  OnLoop([self = shared_from_this(), parcel] {
    if (self->reply_) self->reply_->SendFile(std::move(parcel->head), std::move(parcel->body));
    self->reply_.reset();
  });
}

void Call::Fail(const S3Error& error) {
  OnLoop([self = shared_from_this(),
          response = std::make_shared<http::Response>(ErrorResponse(error))] {
    if (self->reply_) self->reply_->Send(std::move(*response));
    self->reply_.reset();
  });
}

void Call::Reply(S3Result<http::Response> result) {
  if (result) return Answer(std::move(*result));
  Fail(result.error());
}

S3Status Call::MayRead(std::string_view bucket, std::string_view key) const {
  if (caller.key && caller.key->MayRead(bucket, key)) return {};
  return Deny(bucket, key, "read");
}

S3Status Call::MayWrite(std::string_view bucket, std::string_view key) const {
  if (caller.key && caller.key->MayWrite(bucket, key)) return {};
  return Deny(bucket, key, "write");
}

S3Status Call::Deny(std::string_view bucket, std::string_view key, std::string_view verb) const {
  if (!caller.key || !caller.key->lent) return Refuse(S3Code::kAccessDenied);
  return Refuse(
      S3Code::kAccessDenied,
      fmt::format("The key of {} may not {} s3://{}/{}. Name the bucket under store.{} in "
                  "the job file.",
                  caller.key->user, verb, bucket, Printable(key), verb));
}

}  // namespace muster::objects
