#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"
#include "http/url.h"
#include "http/wire.h"
#include "os/fd.h"

namespace muster::http {

// A connection to a server for code that may wait, with a deadline on each wait. One thread.
class ClientSocket {
 public:
  // Tries the host's addresses in turn; `tls` null: plain. With it, the server must prove who it
  // is.
  static Result<std::unique_ptr<ClientSocket>> Connect(const Url& url, const TlsContext* tls,
                                                       int64_t timeout_ms);

  // Bytes that came, at least one; 0 at the end. kTimeout when none came in time.
  Result<size_t> Read(std::span<char> into, int64_t timeout_ms);
  // The next reads are better done when so many bytes are there, and wait `patience_ms` for that.
  void WaitForBytes(size_t bytes, int64_t patience_ms) {
    wire_.WaitForBytes(bytes);
    patience_ms_ = patience_ms;
  }
  // All bytes; kTimeout when none could be written for that long.
  Status Write(std::span<const std::string_view> parts, int64_t timeout_ms);
  // Whether bytes, or the end, have come already. Never waits.
  bool Readable() { return wire_.Readable(); }

 private:
  ClientSocket(os::Fd fd, const Url& url, const TlsContext* tls);
  Status Handshake(int64_t timeout_ms);
  Status Wait(const Wire::Step& step, std::string_view what, int64_t timeout_ms);

  os::Fd fd_;
  const std::string server_;  // "host:port", for errors
  Wire wire_;                 // goes before the descriptor
  int64_t patience_ms_ = 0;
};

}  // namespace muster::http
