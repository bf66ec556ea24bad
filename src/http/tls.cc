#include "http/tls.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "os/file.h"

namespace muster::http {
namespace {

// The certificate files of other distributions; a static OpenSSL has Debian's path built in.
constexpr const char* kBundles[] = {"/etc/ssl/certs/ca-certificates.crt",
                                    "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
                                    "/etc/ssl/cert.pem"};

bool IsAddress(const std::string& host) {
  unsigned char bytes[16];
  return ::inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

// OpenSSL reports a missing file as "system lib"; opening the file first yields the real cause.
Status CheckReadable(const std::string& what, const std::string& path) {
  auto opened = os::Open(path, O_RDONLY);
  if (opened) return {};
  Error error = std::move(opened).error();
  error.text = fmt::format("cannot use the {}: {}", what, error.text);
  error.next = "check the path and that this user may read it";
  return std::unexpected(std::move(error));
}

std::unexpected<Error> BadPem(const std::string& what, const std::string& path) {
  return Fail(Code::kInvalid, fmt::format("cannot use the {} {}: {}", what, path, TakeTlsReason()),
              "give a PEM file without a passphrase");
}

void SetCommonOptions(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // Session tickets need no server memory.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  // Idle connections free their record buffers, and a write may be continued from another copy of
  // its bytes.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

Result<SSL_CTX*> NewContext(const SSL_METHOD* method) {
  ERR_clear_error();
  SSL_CTX* context = SSL_CTX_new(method);
  if (context == nullptr) {
    return Fail(Code::kInternal, fmt::format("cannot set up TLS: {}", TakeTlsReason()));
  }
  SetCommonOptions(context);
  return context;
}

}  // namespace

void SslDeleter::operator()(SSL* ssl) const { SSL_free(ssl); }
void SslDeleter::operator()(SSL_CTX* context) const { SSL_CTX_free(context); }

std::string TakeTlsReason() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  if (code == 0) return "the other side closed the connection";
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : fmt::format("error {:#x}", code);
}

Result<TlsContext> TlsContext::ForServer(const std::string& certificate, const std::string& key) {
  MUSTER_TRY(CheckReadable("TLS certificate", certificate));
  MUSTER_TRY(CheckReadable("TLS key", key));
  MUSTER_ASSIGN(SSL_CTX * raw, NewContext(TLS_server_method()));
  TlsContext context(raw);
  // A server cannot ask for a passphrase.
  SSL_CTX_set_default_passwd_cb(raw, [](char*, int, int, void*) { return 0; });
  if (SSL_CTX_use_certificate_chain_file(raw, certificate.c_str()) != 1) {
    return BadPem("TLS certificate", certificate);
  }
  if (SSL_CTX_use_PrivateKey_file(raw, key.c_str(), SSL_FILETYPE_PEM) != 1 &&
      ERR_GET_REASON(ERR_peek_last_error()) != X509_R_KEY_VALUES_MISMATCH) {
    return BadPem("TLS key", key);
  }
  if (SSL_CTX_check_private_key(raw) != 1) {
    ERR_clear_error();
    return Fail(
        Code::kInvalid,
        fmt::format("the TLS key {} does not belong to the certificate {}", key, certificate),
        "give the key that the certificate was made with");
  }
  return context;
}

Result<TlsContext> TlsContext::ForClient(const std::string& ca_file) {
  MUSTER_ASSIGN(SSL_CTX * raw, NewContext(TLS_client_method()));
  TlsContext context(raw);
  SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nullptr);
  if (!ca_file.empty()) {
    MUSTER_TRY(CheckReadable("file of certificate authorities", ca_file));
    if (SSL_CTX_load_verify_locations(raw, ca_file.c_str(), nullptr) != 1) {
      return BadPem("file of certificate authorities", ca_file);
    }
    return context;
  }
  SSL_CTX_set_default_verify_paths(raw);  // honours $SSL_CERT_FILE and $SSL_CERT_DIR
  if (std::getenv("SSL_CERT_FILE") == nullptr) {
    for (const char* bundle : kBundles) {
      if (::access(bundle, R_OK) == 0 && SSL_CTX_load_verify_locations(raw, bundle, nullptr) == 1) {
        break;
      }
    }
  }
  ERR_clear_error();
  return context;
}

SslPtr TlsContext::Accept(int fd) const {
  SslPtr ssl(SSL_new(context_.get()));
  if (ssl == nullptr || SSL_set_fd(ssl.get(), fd) != 1) return nullptr;
  SSL_set_accept_state(ssl.get());
  return ssl;
}

SslPtr TlsContext::Connect(int fd, const std::string& host) const {
  SslPtr ssl(SSL_new(context_.get()));
  if (ssl == nullptr || SSL_set_fd(ssl.get(), fd) != 1) return nullptr;
  SSL_set_connect_state(ssl.get());
  if (IsAddress(host)) {
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), host.c_str()) != 1) return nullptr;
  } else if (SSL_set1_host(ssl.get(), host.c_str()) != 1 ||
             SSL_set_tlsext_host_name(ssl.get(), host.c_str()) != 1) {
    return nullptr;
  }
  return ssl;
}

}  // namespace muster::http
