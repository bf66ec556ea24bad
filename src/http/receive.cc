#include "http/receive.h"

#include <chrono>
#include <exception>

#include <fmt/format.h>

#include "base/log.h"
#include "http/request_parser.h"

namespace muster::http {
namespace asio = boost::asio;
using Outcome = Connection::Outcome;
using SteadyClock = std::chrono::steady_clock;

namespace {

// Why a request goes no further: its answer, or nothing when there is nobody to answer.
using Halt = std::optional<Response>;
using Step = std::expected<void, Halt>;

// More than this is asked of memory only as the bytes really come.
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
    auto admitted = core_.gate.Admit(
        core_.router, {parser_.http11(), parser_.chunked(), parser_.content_length()}, request_);
    if (!admitted) co_return Sending({std::move(admitted).error(), nullptr});
    const Route& route = **admitted;
    if (route.upload) {
      auto sink = route.upload(request_);
      if (!sink) co_return Sending({ErrorResponse(sink.error()), nullptr});
      sink_ = std::move(*sink);
    }
    const Step body = co_await ReadBody(route);
    if (!body) co_return Closing(body.error());
    auto answer = co_await Handle(route);
    if (!answer) co_return std::nullopt;
    co_return Sending(std::move(*answer));
  }

 private:
  asio::awaitable<Step> ReadHead();
  asio::awaitable<Step> ReadBody(const Route& route);
  asio::awaitable<std::optional<Answer>> Handle(const Route& route);
  Status TakePiece(const Route& route, std::string_view piece);
  void CallHandler(const Route& route, Reply reply);

  Turn Sending(Answer answer) const {
    return {std::move(answer), parser_.http11(), request_.method == "HEAD",
            parser_.done() && parser_.keep_alive()};
  }
  static std::optional<Turn> Closing(const Halt& halt) {
    if (!halt) return std::nullopt;
    return Turn{.answer = {*halt, nullptr}};
  }

  ServerCore& core_;
  Connection& connection_;
  Request request_;
  RequestParser parser_;
  std::unique_ptr<BodySink> sink_;  // for upload routes
  int64_t received_ = 0;            // bytes of the body
};

asio::awaitable<Step> Receiver::ReadHead() {
  const std::chrono::milliseconds limit(core_.options.header_timeout_ms);
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
    if (idle) deadline = SteadyClock::now() + limit;  // the first byte is here
  }
}

asio::awaitable<Step> Receiver::ReadBody(const Route& route) {
  const int64_t limit = core_.options.body_timeout_ms;
  if (!parser_.done() && connection_.input().empty() && parser_.http11() &&
      !FindHeader(request_.headers, "Expect").empty()) {
    const Connection::Parts go_on = {"HTTP/1.1 100 Continue\r\n\r\n"};
    const Outcome outcome = co_await connection_.Write(go_on, core_.options.write_timeout_ms);
    if (outcome != Outcome::kReady) co_return std::unexpected(std::nullopt);
  }
  if (!sink_) {
    request_.body.reserve(static_cast<size_t>(std::min(parser_.content_length(), kLargestReserve)));
  }
  const RequestParser::Taker take = [&](std::string_view piece) { return TakePiece(route, piece); };
  while (!parser_.done()) {
    if (!connection_.input().empty()) {
      auto used = parser_.Body(connection_.input(), take);
      if (!used) co_return std::unexpected(std::move(used).error());
      connection_.Consume(*used);
      if (parser_.done()) break;
    }
    const Outcome outcome = co_await connection_.Read(limit);
    if (outcome == Outcome::kTimeout) co_return std::unexpected(TooSlow("body", limit));
    if (outcome != Outcome::kReady) co_return std::unexpected(std::nullopt);
  }
  co_return Step();
}

Status Receiver::TakePiece(const Route& route, std::string_view piece) {
  received_ += static_cast<int64_t>(piece.size());
  if (received_ > route.body_limit) {
    return Fail(Code::kTooLarge,
                fmt::format("the body is above the {} bytes that {} {} takes", route.body_limit,
                            route.method, route.pattern),
                route.body_limit == 0 ? "send it without a body" : "send less");
  }
  if (sink_) return sink_->Write(piece);
  request_.body += piece;
  return {};
}

void Receiver::CallHandler(const Route& route, Reply reply) {
  try {
    if (sink_) {
      sink_->Finish(std::move(reply));
    } else {
      route.handler(request_, std::move(reply));
    }
  } catch (const std::exception& error) {  // the dropped Reply has answered
    LogError("the handler of {} {} threw: {}", route.method, route.pattern, error.what());
  }
}

asio::awaitable<std::optional<Answer>> Receiver::Handle(const Route& route) {
  const auto exchange = std::make_shared<Exchange>(connection_.weak_from_this());
  CallHandler(route, Reply(exchange));
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
