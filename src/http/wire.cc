#include "http/wire.h"

#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace muster::http {
namespace {

using Kind = Wire::Step::Kind;

constexpr size_t kMostParts = 8;
constexpr size_t kTlsRecord = 16 << 10;

bool WouldBlock(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

}  // namespace

Wire::Step Wire::Handshake() {
  if (!ssl_) return {.kind = Kind::kDone};
  ERR_clear_error();
  return TlsStep(SSL_do_handshake(ssl_.get()));
}

Wire::Step Wire::Read(std::span<char> into) {
  if (ssl_) {
    ERR_clear_error();
    return TlsStep(SSL_read(ssl_.get(), into.data(), static_cast<int>(into.size())));
  }
  while (true) {
    const ssize_t n = ::recv(fd_, into.data(), into.size(), MSG_DONTWAIT);
    if (n > 0) return {.kind = Kind::kDone, .bytes = static_cast<size_t>(n)};
    if (n == 0) return {.kind = Kind::kEnd};
    if (WouldBlock(errno)) return {.kind = Kind::kWantRead};
    if (errno != EINTR) return {.kind = Kind::kFailed, .error = errno};
  }
}

void Wire::WaitForBytes(size_t bytes) {
  if (ssl_ || bytes == least_) return;
  least_ = bytes;
  const int least = static_cast<int>(bytes);
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
}

bool Wire::Readable() {
  char byte = 0;
  if (ssl_) {
    ERR_clear_error();
    const Kind kind = TlsStep(SSL_peek(ssl_.get(), &byte, 1)).kind;
    return kind != Kind::kWantRead && kind != Kind::kWantWrite;
  }
  return ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || !WouldBlock(errno);
}

Wire::Step Wire::Write(std::span<const std::string_view> parts) {
  if (ssl_) return WriteTls(parts);
  std::array<iovec, kMostParts> pieces;
  size_t count = 0;
  for (const std::string_view part : parts.first(std::min(parts.size(), kMostParts))) {
    if (!part.empty()) pieces[count++] = {const_cast<char*>(part.data()), part.size()};
  }
  if (count == 0) return {.kind = Kind::kDone};
  msghdr message = {};
  message.msg_iov = pieces.data();
  message.msg_iovlen = count;
  while (true) {
    const ssize_t n = ::sendmsg(fd_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) return {.kind = Kind::kDone, .bytes = static_cast<size_t>(n)};
    if (WouldBlock(errno)) return {.kind = Kind::kWantWrite};
    if (errno != EINTR) return {.kind = Kind::kFailed, .error = errno};
  }
}

Wire::Step Wire::SendFile(int file, int64_t offset, int64_t length) {
  constexpr int64_t kAtOnce = 1 << 20;  // other connections have their turn in between
  while (true) {
    off_t position = offset;
    const ssize_t n =
        ::sendfile(fd_, file, &position, static_cast<size_t>(std::min(length, kAtOnce)));
    if (n > 0) return {.kind = Kind::kDone, .bytes = static_cast<size_t>(n)};
    if (n == 0) return {.kind = Kind::kEnd};
    if (WouldBlock(errno)) return {.kind = Kind::kWantWrite};
    if (errno != EINTR) return {.kind = Kind::kFailed, .error = errno};
  }
}

Wire::Step Wire::WriteTls(std::span<const std::string_view> parts) {
  const auto first = std::ranges::find_if(parts, [](std::string_view p) { return !p.empty(); });
  if (first == parts.end()) return {.kind = Kind::kDone};
  std::string record;  // small parts share one record
  std::string_view bytes = *first;
  if (bytes.size() < kTlsRecord && std::next(first) != parts.end()) {
    for (auto part = first; part != parts.end() && record.size() < kTlsRecord; ++part) {
      record += part->substr(0, kTlsRecord - record.size());
    }
    bytes = record;
  }
  ERR_clear_error();
  return TlsStep(
      SSL_write(ssl_.get(), bytes.data(), static_cast<int>(std::min(bytes.size(), kTlsRecord))));
}

Wire::Step Wire::TlsStep(int result) {
  const int error_number = errno;
  if (result > 0) return {.kind = Kind::kDone, .bytes = static_cast<size_t>(result)};
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return {.kind = Kind::kWantRead};
    case SSL_ERROR_WANT_WRITE:
      return {.kind = Kind::kWantWrite};
    case SSL_ERROR_ZERO_RETURN:
      return {.kind = Kind::kEnd};
    case SSL_ERROR_SYSCALL:
      if (ERR_peek_error() == 0 && error_number != 0) {
        return {.kind = Kind::kFailed, .error = error_number};
      }
      break;
    default:
      break;
  }
  spoke_http_ = ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST;
  const long verified = SSL_get_verify_result(ssl_.get());
  reason_ = TakeTlsReason();
  distrusted_ = verified != X509_V_OK;
  if (distrusted_) reason_ = X509_verify_cert_error_string(verified);
  return {.kind = Kind::kFailed};
}

void Wire::EndWrites() {
  if (ssl_ && SSL_is_init_finished(ssl_.get())) {
    ERR_clear_error();
    SSL_shutdown(ssl_.get());
  }
  ::shutdown(fd_, SHUT_WR);
}

bool Wire::TurnPlainIfHttp() {
  if (!spoke_http_) return false;
  ssl_.reset();
  return true;
}

}  // namespace muster::http
