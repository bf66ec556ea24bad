#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "http/tls.h"

namespace muster::http {

// Bytes over a connected, non-blocking socket, plain or through TLS. It never waits: whoever owns
// the socket does, with its loop or with poll, for what a step says it wants.
class Wire {
 public:
  struct Step {
    enum class Kind { kDone, kWantRead, kWantWrite, kEnd, kFailed };
    Kind kind = Kind::kFailed;
    size_t bytes = 0;  // kDone: how many, more than none
    int error = 0;     // kFailed: errno, or 0 where TLS was the cause and reason() has it
    bool done() const { return kind == Kind::kDone; }
  };

  explicit Wire(int fd) : fd_(fd) {}
  Wire(int fd, SslPtr ssl) : fd_(fd), ssl_(std::move(ssl)) {}

  // Done at once without TLS; to be repeated until done before anything else with it.
  Step Handshake();
  Step Read(std::span<char> into);
  // Until so many bytes are there, or the end, a wait for something to read goes on: whoever sends
  // wakes us less often, in its own time. 1: any byte. Read gives what there is in any case. With
  // TLS it does nothing.
  void WaitForBytes(size_t bytes);
  bool waits_for_bytes() const { return least_ > 1; }
  // Whether Read would give bytes or the end now. What only keeps TLS going is no byte.
  bool Readable();
  // As many of the parts' bytes as go now, in one call where the system allows. After a kWant the
  // same bytes must be offered again.
  Step Write(std::span<const std::string_view> parts);
  // The same for bytes of a file, without TLS only. kEnd: the file has none at `offset`.
  Step SendFile(int file, int64_t offset, int64_t length);
  // Says that no more bytes will be written; a TLS peer is told so.
  void EndWrites();

  bool secure() const { return ssl_ != nullptr; }
  // The handshake failed because the peer spoke plain HTTP. The wire is plain from now on.
  bool TurnPlainIfHttp();
  // Why TLS failed, and whether it was for want of trust in the peer's certificate.
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
