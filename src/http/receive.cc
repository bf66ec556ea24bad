#include "http/receive.h"

#include <chrono>
#include <exception>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "http/request_parser.h"

namespace muster::http {
namespace asio = boost::asio;
using Outcome = Connection::Outcome;
using SteadyClock = std::chrono::steady_clock;

namespace {

// The result for a request that the server does not process: the response to send, or nothing if
// the client has closed the connection.
using Halt = std::optional<Response>;
using Step = std::expected<void, Halt>;

// Larger bodies allocate memory only as the bytes arrive.
constexpr int64_t kLargestReserve = 1 << 20;

Response TooSlow(std::string_view what, int64_t limit_ms) {
  Response response = ErrorResponse(
      {Code::kTimeout, fmt::format("the request's {} did not come within {} ms", what, limit_ms),
       "send it in one go"});
  response.status = 408;
  return response;
}

class Receiver {
 public:
  Receiver(ServerCore& core, Connection& connection)
      : core_(core), connection_(connection), parser_(core.options.max_header, request_) {}

  asio::awaitable<std::optional<Turn>> Run() {
    const Step head = co_await ReadHead();
    if (!head) co_return Closing(head.error());
    ++core_.requests;
    request_.peer = connection_.peer();
    waits_ = parser_.http11() && connection_.input().empty() &&
             !FindHeader(request_.headers, "Expect").empty();
    const RequestFacts facts{parser_.http11(), parser_.chunked(), parser_.content_length()};
    auto admitted = core_.service != nullptr ? AskService(facts) : FindRoute(facts);
    if (!admitted) co_return Sending({std::move(admitted).error(), nullptr});
    const Step body = co_await ReadBody();
    if (!body) co_return Closing(body.error());
    auto answer = co_await Handle();
    if (!answer) co_return std::nullopt;
    co_return Sending(std::move(*answer));
  }

 private:
  // Sets route_ or sink_, or both; or returns the response immediately.
  std::expected<void, Response> FindRoute(const RequestFacts& facts);
  std::expected<void, Response> AskService(const RequestFacts& facts);
  asio::awaitable<Step> ReadHead();
  asio::awaitable<Step> ReadBody();
  asio::awaitable<std::optional<Answer>> Handle();
  Status TakePiece(std::string_view piece);
  void CallHandler(Reply reply);

  Turn Sending(Answer answer) const {
    // A handler's "Connection: close" closes the connection; the header itself is written by the
    // server.
    const bool closes = SameWord(FindHeader(answer.response.headers, "Connection"), "close");
    return {std::move(answer), parser_.http11(), request_.method == "HEAD",
            parser_.done() && parser_.keep_alive() && !waits_ && !closes};
  }
  static std::optional<Turn> Closing(const Halt& halt) {
    if (!halt) return std::nullopt;
    return Turn{.answer = {*halt, nullptr}};
  }

  ServerCore& core_;
  Connection& connection_;
  Request request_;
  RequestParser parser_;
  const Route* route_ = nullptr;     // null if a service receives all requests
  std::unique_ptr<BodySink> sink_;   // for upload routes and services
  std::optional<Response> refusal_;  // the sink's response for its error
  int64_t received_ = 0;             // bytes of the body
  // The client sent "Expect: 100-continue", possibly for an empty body. If the final response is
  // sent instead of 100, the connection must be closed: botocore would take its status line for the
  // response to the next request.
  bool waits_ = false;
};

std::expected<void, Response> Receiver::FindRoute(const RequestFacts& facts) {
  auto admitted = core_.gate.Admit(*core_.router, facts, request_);
  if (!admitted) return std::unexpected(std::move(admitted).error());
  route_ = *admitted;
  if (!route_->open) core_.unauthorised.Remove(connection_);
  if (!route_->upload) return {};
  auto sink = route_->upload(request_);
  if (!sink) return std::unexpected(ErrorResponse(sink.error()));
  sink_ = std::move(*sink);
  return {};
}

std::expected<void, Response> Receiver::AskService(const RequestFacts& facts) {
  try {
    auto sink = core_.service->Begin(request_, facts, *core_.loop);
    if (!sink) return std::unexpected(std::move(sink).error());
    if ((*sink)->authorised()) core_.unauthorised.Remove(connection_);
    sink_ = std::move(*sink);
    return {};
  } catch (const std::exception& error) {
    LogError("the service threw at {} {}: {}", request_.method, Printable(request_.raw_target),
             error.what());
    return std::unexpected(Response{500, {}, {}});
  }
}

asio::awaitable<Step> Receiver::ReadHead() {
  const std::chrono::milliseconds limit(core_.HeaderTimeout(connection_));
  auto deadline = SteadyClock::now() + limit;
  while (true) {
    if (!connection_.input().empty()) {
      auto used = parser_.Head(connection_.input());
      if (!used) co_return std::unexpected(std::move(used).error());
      connection_.Consume(*used);
      if (parser_.head_done()) co_return Step();
    }
    const bool idle = !parser_.started() && connection_.input().empty();
    if (idle && core_.draining) co_return std::unexpected(std::nullopt);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now());
    const Outcome outcome = co_await connection_.Read(left.count(), idle);
    if (outcome == Outcome::kTimeout && !idle) {
      co_return std::unexpected(TooSlow("head", limit.count()));
    }
    if (outcome != Outcome::kReady) co_return std::unexpected(std::nullopt);
    if (idle) deadline = SteadyClock::now() + limit;  // the first byte has arrived
  }
}

asio::awaitable<Step> Receiver::ReadBody() {
  const int64_t limit = core_.options.body_timeout_ms;
  if (waits_) {
    waits_ = false;
    const Connection::Parts go_on = {"HTTP/1.1 100 Continue\r\n\r\n"};
    const Outcome outcome = co_await connection_.Write(go_on, core_.options.write_timeout_ms);
    if (outcome != Outcome::kReady) co_return std::unexpected(std::nullopt);
  }
  if (!sink_) {
    request_.body.reserve(static_cast<size_t>(std::min(parser_.content_length(), kLargestReserve)));
  }
  const RequestParser::Taker take = [&](std::string_view piece) { return TakePiece(piece); };
  while (!parser_.done()) {
    if (!connection_.input().empty()) {
      auto used = parser_.Body(connection_.input(), take);
      if (!used && refusal_) co_return std::unexpected(std::move(refusal_));
      if (!used) co_return std::unexpected(std::move(used).error());
      connection_.Consume(*used);
      if (parser_.done()) break;
    }
    const Outcome outcome = co_await connection_.Read(limit, false, parser_.body_left());
    if (outcome == Outcome::kTimeout) co_return std::unexpected(TooSlow("body", limit));
    if (outcome != Outcome::kReady) co_return std::unexpected(std::nullopt);
  }
  co_return Step();
}

Status Receiver::TakePiece(std::string_view piece) {
  received_ += static_cast<int64_t>(piece.size());
  if (route_ != nullptr && received_ > route_->body_limit) {
    return Fail(Code::kTooLarge,
                fmt::format("the body is above the {} bytes that {} {} takes", route_->body_limit,
                            route_->method, route_->pattern),
                route_->body_limit == 0 ? "send it without a body" : "send less");
  }
  if (!sink_) {
    request_.body += piece;
    return {};
  }
  Status written = sink_->Write(piece);
  if (!written) refusal_ = sink_->Refusal(written.error());
  return written;
}

void Receiver::CallHandler(Reply reply) {
  try {
    if (sink_) {
      sink_->Finish(std::move(reply));
    } else {
      route_->handler(request_, std::move(reply));
    }
  } catch (const std::exception& error) {  // the destroyed Reply has sent 500
    LogError("the handler of {} {} threw: {}", request_.method, Printable(request_.raw_target),
             error.what());
  }
}

asio::awaitable<std::optional<Answer>> Receiver::Handle() {
  const auto exchange = std::make_shared<Exchange>(connection_.weak_from_this());
  CallHandler(Reply(exchange));
  while (true) {
    connection_.ClearWake();
    auto answer = exchange->Take();
    if (answer) co_return answer;
    const Outcome outcome = co_await connection_.WaitForWake();
    if (outcome != Outcome::kReady) co_return std::nullopt;
  }
}

}  // namespace

asio::awaitable<std::optional<Turn>> ReceiveTurn(ServerCore& core,
                                                 std::shared_ptr<Connection> connection) {
  const auto receiver = std::make_unique<Receiver>(core, *connection);
  co_return co_await receiver->Run();
}

}  // namespace muster::http
