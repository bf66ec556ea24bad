#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "http/tls.h"

namespace muster::http {

// Transfers bytes over a connected, non-blocking socket, plain or with TLS. Never blocks: the owner
// of the socket waits for the event that a step returns, with its loop or with poll.
class Wire {
 public:
  struct Step {
    enum class Kind { kDone, kWantRead, kWantWrite, kEnd, kFailed };
    Kind kind = Kind::kFailed;
    size_t bytes = 0;  // kDone: number of bytes, above 0
    int error = 0;     // kFailed: errno, or 0 if TLS failed and reason() has the cause
    bool done() const { return kind == Kind::kDone; }
  };

  explicit Wire(int fd) : fd_(fd) {}
  Wire(int fd, SslPtr ssl) : fd_(fd), ssl_(std::move(ssl)) {}

  // Done immediately without TLS; otherwise to be repeated until done before any other step.
  Step Handshake();
  Step Read(std::span<char> into);
  // Sets how many bytes must be available, or the end, before a wait for reading ends: fewer
  // wake-ups cost the sender less. 1 means any byte. Read itself always returns available bytes. No
  // effect with TLS.
  void WaitForBytes(size_t bytes);
  bool waits_for_bytes() const { return least_ > 1; }
  // Whether Read would return bytes or the end now. TLS protocol messages do not count.
  bool Readable();
  // Writes as many bytes of the parts as possible in one call. After kWant the same bytes must be
  // passed again.
  Step Write(std::span<const std::string_view> parts);
  // As Write, for bytes of a file, without TLS only. kEnd: the file has no bytes at `offset`.
  Step SendFile(int file, int64_t offset, int64_t length);
  // Ends the sending side; with TLS by a close notification.
  void EndWrites();

  bool secure() const { return ssl_ != nullptr; }
  // The handshake failed because the peer sent plain HTTP. The wire is plain afterwards.
  bool TurnPlainIfHttp();
  // Why TLS failed, and whether the certificate of the peer was not trusted.
  const std::string& reason() const { return reason_; }
  bool distrusted() const { return distrusted_; }

 private:
  Step TlsStep(int result);
  Step WriteTls(std::span<const std::string_view> parts);

  int fd_;
  SslPtr ssl_;
  size_t least_ = 1;  // see WaitForBytes
  std::string reason_;
  bool spoke_http_ = false;
  bool distrusted_ = false;
};

}  // namespace muster::http
