#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"
#include "http/url.h"
#include "http/wire.h"
#include "os/fd.h"

namespace muster::http {

// A connection to a server for blocking code, with a deadline on each wait. One thread.
class ClientSocket {
 public:
  // Tries the addresses of the host in order. Without `tls` the connection is plain; with it, the
  // server must prove its identity.
  static Result<std::unique_ptr<ClientSocket>> Connect(const Url& url, const TlsContext* tls,
                                                       int64_t timeout_ms);

  // Returns received bytes, at least one; 0 at the end of the connection. kTimeout if none arrived
  // in time.
  Result<size_t> Read(std::span<char> into, int64_t timeout_ms);
  // The next reads wait up to `patience_ms` for this number of bytes.
  void WaitForBytes(size_t bytes, int64_t patience_ms) {
    wire_.WaitForBytes(bytes);
    patience_ms_ = patience_ms;
  }
  // Writes all bytes; kTimeout if no byte could be written for that time.
  Status Write(std::span<const std::string_view> parts, int64_t timeout_ms);
  // Whether bytes, or the end, have arrived. Does not block.
  bool Readable() { return wire_.Readable(); }

 private:
  ClientSocket(os::Fd fd, const Url& url, const TlsContext* tls);
  Status Handshake(int64_t timeout_ms);
  Status Wait(const Wire::Step& step, std::string_view what, int64_t timeout_ms);

  os::Fd fd_;
  const std::string server_;  // "host:port", for errors
  Wire wire_;                 // destroyed before the descriptor
  int64_t patience_ms_ = 0;
};

}  // namespace muster::http
