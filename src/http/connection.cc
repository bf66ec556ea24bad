#include "http/connection.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "http/near.h"
#include "http/url.h"

namespace muster::http {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Outcome = Connection::Outcome;

namespace {

constexpr int kTurnsInARow = 8;
// The read size for large bodies. Each wake-up costs both the sender and this server.
constexpr int64_t kWorthAWake = 256 << 10;
constexpr int64_t kPatienceMs = 100;    // the longest wait for that size
constexpr size_t kMostRead = 64 << 10;  // larger reads were slower with many senders
// A read of this size ends the turn of a connection, so that concurrent large bodies alternate and
// their checksums are computed together.
constexpr size_t kWholeTurn = 16 << 10;

std::string PeerName(const tcp::socket& socket) {
  error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  return error ? "unknown" : HostPort(endpoint.address().to_string(), endpoint.port());
}

Wire MakeWire(int fd, const TlsContext* tls) {
  return tls != nullptr ? Wire(fd, tls->Accept(fd)) : Wire(fd);
}

std::chrono::steady_clock::time_point After(int64_t ms) {
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
}

void Drop(Connection::Parts& parts, size_t bytes) {
  for (std::string_view& part : parts) {
    const size_t cut = std::min(part.size(), bytes);
    part.remove_prefix(cut);
    bytes -= cut;
  }
}

bool IsEmpty(const Connection::Parts& parts) {
  return std::ranges::all_of(parts, [](std::string_view part) { return part.empty(); });
}

}  // namespace

Connection::Connection(tcp::socket socket, const TlsContext* tls, Scratch& scratch, Crew::Seat seat)
    : socket_(std::move(socket)),
      wire_(MakeWire(socket_.native_handle(), tls)),
      alarm_(socket_.get_executor()),
      scratch_(scratch),
      peer_(PeerName(socket_)),
      seat_(std::move(seat)) {
  aborted_ = tls != nullptr && !wire_.secure();
  error_code ignored;  // a broken socket reports the error at its first read
  socket_.non_blocking(true, ignored);
}

std::optional<Connection::For> Connection::Wanted(const Wire::Step& step) {
  if (step.kind == Wire::Step::Kind::kWantRead) return For::kRead;
  if (step.kind == Wire::Step::Kind::kWantWrite) return For::kWrite;
  return std::nullopt;
}

asio::awaitable<Outcome> Connection::Handshake(int64_t limit_ms) {
  const auto deadline = After(limit_ms);
  while (true) {
    const Wire::Step step = wire_.Handshake();
    if (step.done()) co_return Outcome::kReady;
    const auto wanted = Wanted(step);
    if (!wanted) co_return Outcome::kGone;
    const Outcome outcome = co_await Await(*wanted, deadline, true);
    if (outcome != Outcome::kReady) co_return outcome;
  }
}

asio::awaitable<Outcome> Connection::Read(int64_t limit_ms, bool interruptible, int64_t wanted) {
  const auto deadline = After(limit_ms);
  wire_.WaitForBytes(static_cast<size_t>(std::clamp<int64_t>(wanted, 1, kWorthAWake)));
  co_await TakeTurns();
  while (true) {
    if (aborted_) co_return Outcome::kGone;
    Settle();
    const Wire::Step step = wire_.Read(std::span(scratch_).first(kMostRead));
    if (step.done()) {
      if (step.bytes >= kWholeTurn) turns_ = kTurnsInARow;
      AddInput({scratch_.data(), step.bytes});
      co_return Outcome::kReady;
    }
    const auto needed = Wanted(step);
    if (!needed) co_return Outcome::kGone;
    const bool patient = wire_.waits_for_bytes();
    const Outcome outcome = co_await Await(
        *needed, patient ? std::min(deadline, After(kPatienceMs)) : deadline, interruptible);
    if (patient && outcome == Outcome::kTimeout) {
      wire_.WaitForBytes(1);  // the bytes arrive slowly
      continue;
    }
    if (outcome != Outcome::kReady) co_return outcome;
  }
}

// Repeats steps until `next` has none left. Each step that transfers bytes restarts the deadline.
template <typename Next>
asio::awaitable<Outcome> Connection::StepOn(Next next, int64_t limit_ms) {
  auto deadline = After(limit_ms);
  while (!aborted_) {
    const std::optional<Wire::Step> step = next();
    if (!step) co_return Outcome::kReady;
    if (step->done()) {
      deadline = After(limit_ms);
      co_await TakeTurns();
      continue;
    }
    const auto wanted = Wanted(*step);
    if (!wanted) co_return Outcome::kGone;
    const Outcome outcome = co_await Await(*wanted, deadline, false);
    if (outcome != Outcome::kReady) co_return outcome;
  }
  co_return Outcome::kGone;
}

asio::awaitable<Outcome> Connection::Write(Parts parts, int64_t limit_ms) {
  return StepOn(
      [this, parts]() mutable -> std::optional<Wire::Step> {
        if (IsEmpty(parts)) return std::nullopt;
        const Wire::Step step = wire_.Write(parts);
        if (step.done()) Drop(parts, step.bytes);
        return step;
      },
      limit_ms);
}

asio::awaitable<Outcome> Connection::SendFile(const FileBody& body, LargeFiles& all,
                                              int64_t limit_ms) {
  if (wire_.secure()) return CopyFile(body, limit_ms);
  const bool near = IsNear(socket_.native_handle());
  if (near) Settle();
  return StepOn(
      [this, near, &all, file = body.file.get(), offset = body.offset,
       end = body.offset + body.length]() mutable -> std::optional<Wire::Step> {
        if (offset >= end) return std::nullopt;
        const Wire::Step step = near && all.IsAlone(Clock::now())
                                    ? SendCopy(file, offset, end - offset)
                                    : wire_.SendFile(file, offset, end - offset);
        if (step.done()) offset += static_cast<int64_t>(step.bytes);
        return step;
      },
      limit_ms);
}

// Sends a copy of the file's bytes. A client on this machine that receives the pages by sendfile
// reads them from memory in its own time, whereas a fresh copy is in the caches. With several
// concurrent files all processors are busy, and sendfile needs the least work. Bytes that the
// socket does not accept are read again.
Wire::Step Connection::SendCopy(int file, int64_t offset, int64_t length) {
  const auto wanted = static_cast<size_t>(std::min<int64_t>(std::ssize(scratch_), length));
  const ssize_t n = ::pread(file, scratch_.data(), wanted, offset);
  if (n == 0) return {.kind = Wire::Step::Kind::kEnd};
  if (n < 0) return {.kind = Wire::Step::Kind::kFailed, .error = errno};
  const std::string_view bytes(scratch_.data(), static_cast<size_t>(n));
  return wire_.Write({{bytes}});
}

asio::awaitable<Outcome> Connection::CopyFile(const FileBody& body, int64_t limit_ms) {
  constexpr int64_t kAtOnce = 128 << 10;
  std::string piece;
  int64_t offset = body.offset;
  const int64_t end = body.offset + body.length;
  while (offset < end) {
    piece.resize(static_cast<size_t>(std::min(kAtOnce, end - offset)));
    const ssize_t n = ::pread(body.file.get(), piece.data(), piece.size(), offset);
    if (n <= 0) co_return Outcome::kGone;
    const Parts parts = {std::string_view(piece).substr(0, static_cast<size_t>(n))};
    const Outcome outcome = co_await Write(parts, limit_ms);
    if (outcome != Outcome::kReady) co_return outcome;
    offset += n;
  }
  co_return Outcome::kReady;
}

asio::awaitable<Outcome> Connection::WaitForWake() {
  return Await(For::kWake, Clock::time_point::max(), false);
}

asio::awaitable<Outcome> Connection::WaitForWakeOrEnd(int64_t limit_ms, size_t most_input) {
  const auto deadline = After(limit_ms);
  co_await TakeTurns();
  while (true) {
    if (aborted_) co_return Outcome::kGone;
    Settle();
    const Wire::Step step = wire_.Read(std::span(scratch_).first(kMostRead));
    if (step.done()) AddInput({scratch_.data(), step.bytes});
    const bool over = step.kind == Wire::Step::Kind::kEnd ||
                      step.kind == Wire::Step::Kind::kFailed || input_.size() > most_input;
    if (over) co_return Outcome::kGone;
    if (woken_) co_return Outcome::kReady;
    if (step.done()) continue;
    const Outcome outcome = co_await Await(For::kWakeOrRead, deadline, true);
    if (outcome != Outcome::kReady) co_return outcome;
  }
}

asio::awaitable<void> Connection::Linger(int64_t limit_ms) {
  wire_.EndWrites();
  const auto deadline = After(limit_ms);
  while (Clock::now() < deadline) {
    input_ = {};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    const Outcome outcome = co_await Read(left.count());
    if (outcome != Outcome::kReady) co_return;
  }
}

void Connection::Wake() {
  woken_ = true;
  alarm_.cancel();
}

void Connection::Interrupt() {
  interrupted_ = true;
  alarm_.cancel();
}

void Connection::Abort() {
  aborted_ = true;
  alarm_.cancel();
}

void Connection::Close() {
  error_code ignored;
  socket_.close(ignored);
}

asio::awaitable<Outcome> Connection::Await(For what, Clock::time_point deadline,
                                           bool interruptible) {
  Settle();
  turns_ = 0;
  const bool reads = what == For::kRead || what == For::kWakeOrRead;
  const bool wakes = what == For::kWake || what == For::kWakeOrRead;
  if (reads) Arm(tcp::socket::wait_read, read_armed_, readable_);
  if (what == For::kWrite) Arm(tcp::socket::wait_write, write_armed_, writable_);
  while (true) {
    if (aborted_) co_return Outcome::kGone;
    if (wakes && woken_) co_return Outcome::kReady;
    if (reads && std::exchange(readable_, false)) co_return Outcome::kReady;
    if (what == For::kWrite && std::exchange(writable_, false)) co_return Outcome::kReady;
    if (interruptible && interrupted_) co_return Outcome::kInterrupted;
    if (Clock::now() >= deadline) co_return Outcome::kTimeout;
    alarm_.expires_at(deadline);
    co_await alarm_.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

asio::awaitable<void> Connection::TakeTurns() {
  if (++turns_ < kTurnsInARow) co_return;
  turns_ = 0;
  Settle();
  co_await asio::post(socket_.get_executor(), asio::use_awaitable);
}

void Connection::Arm(tcp::socket::wait_type type, bool& armed, bool& ready) {
  if (armed) return;
  armed = true;
  socket_.async_wait(type, [self = shared_from_this(), &armed, &ready](error_code) {
    armed = false;
    ready = true;  // the next read or write reports the error
    self->alarm_.cancel();
  });
}

void Connection::AddInput(std::string_view bytes) {
  if (input_.empty()) {
    input_ = bytes;
    return;
  }
  kept_ += bytes;  // all unread bytes since Settle
  input_ = kept_;
}

// Moves unread bytes from the shared scratch buffer to memory of this connection, before other
// connections use the buffer.
void Connection::Settle() {
  if (input_.empty()) {
    if (!kept_.empty()) kept_ = std::string();
  } else if (input_.size() != kept_.size() || input_.data() != kept_.data()) {
    kept_ = std::string(input_);
  }
  input_ = kept_;
}

}  // namespace muster::http
