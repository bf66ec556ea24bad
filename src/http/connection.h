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

// One accepted connection: reads, writes and waits, each with a deadline. One coroutine uses it;
// Wake, Interrupt and Abort may come from any callback on the loop meanwhile. Shared between that
// coroutine and the waits and replies under way. It keeps no buffer while there is nothing in it:
// bytes arrive in the scratch space that all connections of a server share.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  enum class Outcome {
    kReady,
    kTimeout,      // the deadline passed without a byte of progress
    kGone,         // the peer closed or broke the connection, or Abort was called
    kInterrupted,  // Interrupt was called, and the wait was one that may be cut short
  };
  using Parts = std::array<std::string_view, 3>;
  using Scratch = std::array<char, 128 << 10>;

  // `tls` null: plain. Both references outlive the connection.
  Connection(boost::asio::ip::tcp::socket socket, const TlsContext* tls, Scratch& scratch,
             Crew::Seat seat);

  boost::asio::awaitable<Outcome> Handshake(int64_t limit_ms);
  // Waits for bytes and adds them to input(). `wanted`: so many more will come, and a part of them
  // is better read than a few.
  boost::asio::awaitable<Outcome> Read(int64_t limit_ms, bool interruptible = false,
                                       int64_t wanted = 1);
  boost::asio::awaitable<Outcome> Write(Parts parts, int64_t limit_ms);
  // Bytes of a file; kGone as well where it has too few of them. `all`: those of the server, this
  // one among them.
  boost::asio::awaitable<Outcome> SendFile(const FileBody& body, LargeFiles& all, int64_t limit_ms);
  // Until Wake since the last ClearWake, for as long as it takes.
  boost::asio::awaitable<Outcome> WaitForWake();
  // The same for a stream, which a peer that goes away ends. Up to `most_input` bytes that come
  // meanwhile are kept for later; more end it too.
  boost::asio::awaitable<Outcome> WaitForWakeOrEnd(int64_t limit_ms, size_t most_input);
  // Says goodbye so that the last answer arrives: closing with bytes unread would destroy it.
  boost::asio::awaitable<void> Linger(int64_t limit_ms);

  void Wake();
  void ClearWake() { woken_ = false; }
  void Interrupt();
  void Abort();  // every wait ends with kGone
  void Close();  // last of all, by the coroutine

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
  // What to wait for before the step is tried again; nothing when it ended or failed.
  static std::optional<For> Wanted(const Wire::Step& step);
  boost::asio::awaitable<Outcome> Await(For what, Clock::time_point deadline, bool interruptible);
  // Lets the others have their turn when this connection has been served often in a row.
  boost::asio::awaitable<void> TakeTurns();
  void Arm(boost::asio::ip::tcp::socket::wait_type type, bool& armed, bool& ready);
  void AddInput(std::string_view bytes);
  void Settle();

  boost::asio::ip::tcp::socket socket_;
  Wire wire_;
  boost::asio::steady_timer alarm_;  // what the coroutine sleeps on; cancelled when something is up
  Scratch& scratch_;
  const std::string peer_;
  const Crew::Seat seat_;

  std::string kept_;        // unread bytes that outlast a wait
  std::string_view input_;  // unread bytes: in kept_, or in scratch_ until the next wait
  int turns_ = 0;           // steps since the last wait
  bool read_armed_ = false, readable_ = false;
  bool write_armed_ = false, writable_ = false;
  bool woken_ = false, interrupted_ = false, aborted_ = false;
};

}  // namespace muster::http
