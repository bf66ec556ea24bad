#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct ssl_st;
struct ssl_ctx_st;

namespace muster::http {

struct SslDeleter {
  void operator()(ssl_st* ssl) const;
  void operator()(ssl_ctx_st* context) const;
};
using SslPtr = std::unique_ptr<ssl_st, SslDeleter>;

// The TLS settings of one side, for TLS 1.2 and later; creates sessions. A session keeps what it
// needs, so the context may be destroyed earlier.
class TlsContext {
 public:
  // PEM files. The errors distinguish a missing file, a file that is not PEM, and a key of another
  // certificate.
  static Result<TlsContext> ForServer(const std::string& certificate, const std::string& key);
  // An empty `ca_file` selects $SSL_CERT_FILE, else the usual places of systems.
  static Result<TlsContext> ForClient(const std::string& ca_file);

  // A session on a connected, non-blocking socket that the caller keeps open.
  SslPtr Accept(int fd) const;
  SslPtr Connect(int fd, const std::string& host) const;  // the peer must prove that it is `host`

 private:
  explicit TlsContext(ssl_ctx_st* context) : context_(context) {}

  std::unique_ptr<ssl_ctx_st, SslDeleter> context_;
};

// The last error text of OpenSSL on this thread; clears it.
std::string TakeTlsReason();

}  // namespace muster::http
