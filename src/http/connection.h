#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "http/crew.h"
#include "http/message.h"
#include "http/wire.h"

namespace muster::http {

// An accepted connection: reads, writes and waits, each with a deadline. One coroutine uses it;
// callbacks on the loop may call Wake, Interrupt and Abort meanwhile. Shared between that coroutine
// and the pending waits and replies. An idle connection has no buffer: bytes arrive in a scratch
// buffer that all connections of a server share.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  enum class Outcome {
    kReady,
    kTimeout,      // the deadline passed without progress
    kGone,         // the peer closed or broke the connection, or Abort was called
    kInterrupted,  // Interrupt was called during an interruptible wait
  };
  using Parts = std::array<std::string_view, 3>;
  using Scratch = std::array<char, 128 << 10>;

  // `tls` is null for plain connections. Both references outlive the connection.
  Connection(boost::asio::ip::tcp::socket socket, const TlsContext* tls, Scratch& scratch,
             Crew::Seat seat);

  boost::asio::awaitable<Outcome> Handshake(int64_t limit_ms);
  // Waits for bytes and appends them to input(). `wanted`: more bytes will follow, and a large part
  // should be read at once.
  boost::asio::awaitable<Outcome> Read(int64_t limit_ms, bool interruptible = false,
                                       int64_t wanted = 1);
  boost::asio::awaitable<Outcome> Write(Parts parts, int64_t limit_ms);
  // Sends bytes of a file; kGone also if the file is too short. `all`: the large files of the
  // server, including this one.
  boost::asio::awaitable<Outcome> SendFile(const FileBody& body, LargeFiles& all, int64_t limit_ms);
  // Waits until Wake is called, or was called since the last ClearWake. No deadline.
  boost::asio::awaitable<Outcome> WaitForWake();
  // As WaitForWake, for a stream, which ends when the peer disconnects. Keeps up to `most_input`
  // bytes that arrive meanwhile; more bytes end the stream as well.
  boost::asio::awaitable<Outcome> WaitForWakeOrEnd(int64_t limit_ms, size_t most_input);
  // Shuts down gracefully so that the last response arrives: closing a socket with unread bytes
  // would discard it.
  boost::asio::awaitable<void> Linger(int64_t limit_ms);

  void Wake();
  void ClearWake() { woken_ = false; }
  void Interrupt();
  void Abort();  // ends every wait with kGone
  void Close();  // called last, by the coroutine

  std::string_view input() const { return input_; }
  void Consume(size_t bytes) { input_.remove_prefix(bytes); }
  Wire& wire() { return wire_; }
  const std::string& peer() const { return peer_; }
  std::string address() const { return peer_.substr(0, peer_.rfind(':')); }  // without the port

 private:
  using Clock = std::chrono::steady_clock;
  enum class For { kRead, kWrite, kWake, kWakeOrRead };

  template <typename Next>
  boost::asio::awaitable<Outcome> StepOn(Next next, int64_t limit_ms);
  boost::asio::awaitable<Outcome> CopyFile(const FileBody& body, int64_t limit_ms);
  Wire::Step SendCopy(int file, int64_t offset, int64_t length);
  // The event to wait for before the step is repeated; nothing if the step succeeded or failed.
  static std::optional<For> Wanted(const Wire::Step& step);
  boost::asio::awaitable<Outcome> Await(For what, Clock::time_point deadline, bool interruptible);
  // Yields to other connections after many steps in a row.
  boost::asio::awaitable<void> TakeTurns();
  void Arm(boost::asio::ip::tcp::socket::wait_type type, bool& armed, bool& ready);
  void AddInput(std::string_view bytes);
  void Settle();

  boost::asio::ip::tcp::socket socket_;
  Wire wire_;
  boost::asio::steady_timer alarm_;  // the timer on which the coroutine waits; cancelled to wake it
  Scratch& scratch_;
  const std::string peer_;
  const Crew::Seat seat_;

  std::string kept_;        // unread bytes that are kept during a wait
  std::string_view input_;  // unread bytes: in kept_, or in scratch_ until the next wait
  int turns_ = 0;           // steps since the last wait
  bool read_armed_ = false, readable_ = false;
  bool write_armed_ = false, writable_ = false;
  bool woken_ = false, interrupted_ = false, aborted_ = false;
};

}  // namespace muster::http
