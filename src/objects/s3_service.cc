#include "objects/s3_service.h"

#include "objects/operations.h"

namespace muster::objects {
namespace {

constexpr size_t kLargestDocument = 4 << 20;
constexpr int64_t kMostDrained = 1 << 20;

// The body target of operations with a small body in memory.
class SmallBody final : public BodyTarget {
 public:
  SmallBody(CallPtr call, const Operation& operation)
      : call_(std::move(call)), operation_(operation) {}

  S3Status Take(const s3::SharedPiece& piece) override {
    if (call_->body.size() + piece->size() > kLargestDocument) {
      return Refuse(S3Code::kMaxMessageLengthExceeded);
    }
    call_->body += piece->bytes();
    return {};
  }
  void Done(const BodySums&) override {
    if (operation_.where == Operation::Where::kLoop) return operation_.run(call_);
    call_->parts.pool.Run([call = call_, run = operation_.run] { run(call); });
  }

 private:
  const CallPtr call_;
  const Operation& operation_;
};

// Between the HTTP server and a target: decodes, verifies, and reports errors in S3's form.
class CheckedSink final : public http::BodySink {
 public:
  CheckedSink(CallPtr call, BodyCheck check, std::unique_ptr<BodyTarget> target)
      : call_(std::move(call)), check_(std::move(check)), target_(std::move(target)) {}

  Status Write(std::string_view bytes) override {
    const S3Status status = check_.Feed(bytes, take_);
    if (status) return {};
    failure_ = status.error();
    return muster::Fail(Code::kInvalid, failure_->message);
  }
  http::Response Refusal(const Error& error) override {
    return call_->ErrorResponse(failure_ ? *failure_ : S3Error(error));
  }
  // Requests that are open to all have no key, and forms have their policy in the body.
  bool authorised() const override { return call_->caller.key != nullptr; }
  void Finish(http::Reply reply) override {
    call_->Take(std::move(reply));
    const auto sums = check_.Finish(take_);
    if (!sums) return call_->Fail(sums.error());
    target_->Done(*sums);
  }

 private:
  const CallPtr call_;
  BodyCheck check_;
  const std::unique_ptr<BodyTarget> target_;
  const BodyCheck::Taker take_ = [this](const s3::SharedPiece& piece) {
    return target_->Take(piece);
  };
  std::optional<S3Error> failure_;
};

// Reads and drops a small body, so that the connection stays usable after a refusal. A client that
// expects 100 Continue gets it, also for a body of no bytes.
class DrainSink final : public http::BodySink {
 public:
  DrainSink(CallPtr call, S3Error error) : call_(std::move(call)), error_(std::move(error)) {}

  Status Write(std::string_view) override { return {}; }
  http::Response Refusal(const Error&) override { return call_->ErrorResponse(error_); }
  void Finish(http::Reply reply) override {
    call_->Take(std::move(reply));
    call_->Fail(error_);
  }

 private:
  const CallPtr call_;
  const S3Error error_;
};

// Without a length the end of the body is unknown, and the connection cannot be reused.
S3Status CheckLength(const S3Request& request) {
  if (request.facts.chunked || !request.Header("Content-Length").empty()) return {};
  S3Error error(S3Code::kMissingContentLength);
  error.headers.emplace_back("Connection", "close");
  return std::unexpected(std::move(error));
}

bool MayDrain(const Call& call) {
  const http::RequestFacts& facts = call.request.facts;
  return call.caller.key && !facts.chunked && facts.content_length <= kMostDrained;
}

S3Result<std::unique_ptr<http::BodySink>> Open(const CallPtr& call) {
  MUSTER_ASSIGN(const Operation* const operation, FindOperation(call->request));
  if (!operation->open_to_all) {
    MUSTER_ASSIGN(call->caller, Authenticate(call->request, call->parts.keys,
                                             call->parts.clock.WallMs(), call->parts.accept_v2));
  }
  MUSTER_ASSIGN(BodyCheck check, BodyCheck::Make(call->request, call->caller));
  std::unique_ptr<BodyTarget> target;
  if (operation->open != nullptr) {
    MUSTER_TRY(CheckLength(call->request));
    MUSTER_ASSIGN(target, operation->open(call, check));
  } else {
    target = std::make_unique<SmallBody>(call, *operation);
  }
  return std::make_unique<CheckedSink>(call, std::move(check), std::move(target));
}

}  // namespace

std::expected<std::unique_ptr<http::BodySink>, http::Response> S3Service::Begin(
    const http::Request& head, const http::RequestFacts& facts, os::Loop& loop) {
  auto request = ReadRequest(head, facts, parts_.domains);
  if (!request) {
    S3Request unread;
    unread.method = head.method;
    unread.raw_path = "/";
    const auto call = std::make_shared<Call>(parts_, loop, std::move(unread));
    return std::unexpected(call->ErrorResponse(request.error()));
  }
  const auto call = std::make_shared<Call>(parts_, loop, std::move(*request));
  auto sink = Open(call);
  if (sink) return std::move(*sink);
  if (MayDrain(*call)) return std::make_unique<DrainSink>(call, std::move(sink).error());
  return std::unexpected(call->ErrorResponse(sink.error()));
}

}  // namespace muster::objects
