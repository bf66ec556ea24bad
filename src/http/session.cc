#include "http/session.h"

#include <unistd.h>

#include <chrono>
#include <exception>

#include <fmt/format.h>

#include "base/log.h"
#include "http/receive.h"

namespace muster::http {
namespace asio = boost::asio;
using Outcome = Connection::Outcome;

namespace {

constexpr int64_t kLingerMs = 1'000;
constexpr int64_t kSmallFile = 64 << 10;

// Registers the connection while it exists.
class Registration {
 public:
  Registration(ServerCore& core, Connection& connection) : core_(core), connection_(connection) {
    core_.connections.insert(&connection_);
    core_.unauthorised.Add(connection_, connection_.address(), std::chrono::steady_clock::now());
  }
  ~Registration() {
    core_.unauthorised.Remove(connection_);
    core_.connections.erase(&connection_);
    if (core_.draining && core_.connections.empty()) core_.on_drained();
  }
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

 private:
  ServerCore& core_;
  Connection& connection_;
};

class Count {
 public:
  explicit Count(int& counter) : counter_(counter) { ++counter_; }
  ~Count() { --counter_; }
  Count(const Count&) = delete;
  Count& operator=(const Count&) = delete;

 private:
  int& counter_;
};

// Sends the responses of one connection.
class Session {
 public:
  Session(ServerCore& core, std::shared_ptr<Connection> connection)
      : core_(core), connection_(std::move(connection)) {}

  asio::awaitable<void> Run();

 private:
  asio::awaitable<bool> SecureIt();
  asio::awaitable<bool> Deliver(Turn turn);  // false if the connection has ended
  asio::awaitable<bool> SendHead(Turn turn, bool streams, bool keep);  // and a complete body
  asio::awaitable<bool> SendFile(const std::string& head, const FileBody& body);
  asio::awaitable<bool> SendPieces(Stream& stream, bool chunked);
  asio::awaitable<bool> SendPiece(const std::string& piece, bool chunked);
  asio::awaitable<bool> Write(Connection::Parts parts);

  ServerCore& core_;
  const std::shared_ptr<Connection> connection_;
};

asio::awaitable<void> Session::Run() {
  const bool secured = co_await SecureIt();
  if (!secured) co_return;
  while (true) {
    auto turn = co_await ReceiveTurn(core_, connection_);
    if (!turn) co_return;
    const bool more = co_await Deliver(std::move(*turn));
    if (!more) co_return;
  }
}

asio::awaitable<bool> Session::SecureIt() {
  const Outcome outcome = co_await connection_->Handshake(core_.HeaderTimeout(*connection_));
  if (outcome == Outcome::kReady) co_return true;
  if (outcome == Outcome::kGone && connection_->wire().TurnPlainIfHttp()) {
    Turn turn{.answer = {ErrorResponse({Code::kInvalid, "this port speaks HTTPS, not HTTP",
                                        "begin the address with https://"}),
                         nullptr}};
    co_await Deliver(std::move(turn));
  }
  co_return false;
}

asio::awaitable<bool> Session::Deliver(Turn turn) {
  std::unique_ptr<Stream> stream = std::move(turn.answer.stream);
  const bool until_close = stream != nullptr && !turn.http11;
  const bool keep = turn.keep_alive && !core_.draining && !until_close;
  const bool head_only = turn.head_only;
  bool sent = co_await SendHead(std::move(turn), stream != nullptr, keep);
  if (sent && stream && !head_only) sent = co_await SendPieces(*stream, !until_close);
  stream.reset();
  if (sent && !keep) co_await connection_->Linger(kLingerMs);
  co_return sent&& keep;
}

asio::awaitable<bool> Session::SendHead(Turn turn, bool streams, bool keep) {
  const Response& response = turn.answer.response;
  const bool bodiless = response.status == 204 || response.status == 304;
  const Framing framing = bodiless      ? Framing::kNone
                          : !streams    ? Framing::kLength
                          : turn.http11 ? Framing::kChunked
                                        : Framing::kUntilClose;
  const std::optional<FileBody>& file = turn.answer.file;
  const std::string head =
      core_.heads.Write(response, framing, keep, file ? std::optional(file->length) : std::nullopt);
  if (file && framing == Framing::kLength && !turn.head_only) {
    co_return co_await SendFile(head, *file);
  }
  Connection::Parts parts = {head};
  if (framing == Framing::kLength && !turn.head_only) parts[1] = response.body;
  co_return co_await Write(parts);
}

asio::awaitable<bool> Session::SendFile(const std::string& head, const FileBody& body) {
  if (body.length > kSmallFile) {
    const Connection::Parts parts = {head};
    const bool sent = co_await Write(parts);
    if (!sent) co_return false;
    LargeFiles& all = core_.crew->large_files();
    const LargeFiles::One one(all);
    const Outcome outcome =
        co_await connection_->SendFile(body, all, core_.options.write_timeout_ms);
    co_return outcome == Outcome::kReady;
  }
  // Head and body in one packet.
  std::string small(static_cast<size_t>(body.length), 0);
  size_t have = 0;
  while (have < small.size()) {
    const ssize_t n = ::pread(body.file.get(), small.data() + have, small.size() - have,
                              body.offset + static_cast<int64_t>(have));
    if (n <= 0) co_return false;
    have += static_cast<size_t>(n);
  }
  const Connection::Parts parts = {head, small};
  co_return co_await Write(parts);
}

asio::awaitable<bool> Session::SendPieces(Stream& stream, bool chunked) {
  const Count counted(core_.streams);
  stream.OnReady([weak = std::weak_ptr(connection_)] {
    if (const auto connection = weak.lock()) connection->Wake();
  });
  std::string piece;
  while (true) {
    connection_->ClearWake();
    piece.clear();
    const Stream::Next next = stream.Read(piece);
    if (next == Stream::Next::kEnd) break;
    if (next == Stream::Next::kWait) {
      piece = std::string();  // free the buffer during the wait
      const Outcome outcome = co_await connection_->WaitForWakeOrEnd(
          core_.options.keep_alive_ms, static_cast<size_t>(core_.options.max_header));
      if (outcome == Outcome::kGone) co_return false;
      if (outcome == Outcome::kInterrupted) break;  // all available bytes were sent
      if (outcome == Outcome::kTimeout) piece = stream.KeepAlive();
    }
    const bool sent = co_await SendPiece(piece, chunked);
    if (!sent) co_return false;
  }
  if (!chunked) co_return true;
  const Connection::Parts last = {"0\r\n\r\n"};
  co_return co_await Write(last);
}

asio::awaitable<bool> Session::SendPiece(const std::string& piece, bool chunked) {
  if (piece.empty()) co_return true;  // an empty chunk would end the body
  if (!chunked) {
    const Connection::Parts plain = {piece};
    co_return co_await Write(plain);
  }
  const std::string size = fmt::format("{:x}\r\n", piece.size());
  const Connection::Parts parts = {size, piece, "\r\n"};
  co_return co_await Write(parts);
}

asio::awaitable<bool> Session::Write(Connection::Parts parts) {
  const Outcome outcome = co_await connection_->Write(parts, core_.options.write_timeout_ms);
  co_return outcome == Outcome::kReady;
}

}  // namespace

asio::awaitable<void> ServeConnection(ServerCore& core, std::shared_ptr<Connection> connection) {
  const Registration registration(core, *connection);
  try {
    Session session(core, connection);
    co_await session.Run();
  } catch (const std::exception& error) {
    LogError("closed the connection from {}: {}", connection->peer(), error.what());
  }
  connection->Close();
}

asio::awaitable<void> RefuseConnection(ServerCore& core, std::shared_ptr<Connection> connection) {
  const Count counted(core.refusing);
  if (!connection->wire().secure()) {
    const Response response =
        ErrorResponse({Code::kUnavailable,
                       fmt::format("the server has all of its {} connections in use",
                                   core.options.max_connections),
                       "try again, or close connections that are idle"});
    const std::string head = core.heads.Write(response, Framing::kLength, false);
    const Connection::Parts parts = {head, response.body};
    const Outcome outcome = co_await connection->Write(parts, kLingerMs);
    if (outcome == Outcome::kReady) co_await connection->Linger(kLingerMs);
  }
  connection->Close();
}

}  // namespace muster::http
