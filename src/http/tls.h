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

// One side's settings for TLS 1.2 and up; makes the sessions of its connections. Outlives none of
// them needlessly: a session keeps what it needs.
class TlsContext {
 public:
  // PEM files. Errors tell a missing file, one that is no PEM, and a key of another certificate.
  static Result<TlsContext> ForServer(const std::string& certificate, const std::string& key);
  // `ca_file` empty: $SSL_CERT_FILE, else the places where systems keep theirs.
  static Result<TlsContext> ForClient(const std::string& ca_file);

  // A session on a connected, non-blocking socket that the caller keeps open.
  SslPtr Accept(int fd) const;
  SslPtr Connect(int fd, const std::string& host) const;  // the peer must prove to be `host`

 private:
  explicit TlsContext(ssl_ctx_st* context) : context_(context) {}

  std::unique_ptr<ssl_ctx_st, SslDeleter> context_;
};

// The reason OpenSSL gave last on this thread, as text for people; forgets it.
std::string TakeTlsReason();

}  // namespace muster::http
