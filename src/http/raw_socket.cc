#include "http/raw_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "base/text.h"

namespace muster::http {
namespace {
constexpr int kPatienceMs = 10'000;

bool WaitFor(int fd, short events) {
  pollfd entry = {fd, events, 0};
  while (true) {
    const int n = ::poll(&entry, 1, kPatienceMs);
    if (n >= 0 || errno != EINTR) return n > 0;
  }
}
}  // namespace

RawSocket::RawSocket(int port, const char* from)
    : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ::inet_addr(from);
  const auto* const name = reinterpret_cast<sockaddr*>(&address);
  bool done = ::bind(fd_.get(), name, sizeof address) == 0;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  done = done && ::connect(fd_.get(), name, sizeof address) == 0;
  if (!done) fd_.Reset();
}

bool RawSocket::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!WaitFor(fd_.get(), POLLOUT)) return false;
    const ssize_t n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (n > 0) bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

void RawSocket::EndWrites() { ::shutdown(fd_.get(), SHUT_WR); }

void RawSocket::Reset() {
  const linger now = {.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  fd_.Reset();
}

bool RawSocket::Fill() {
  if (!fd_ || !WaitFor(fd_.get(), POLLIN)) return false;
  char buffer[64 << 10];
  const ssize_t n = ::recv(fd_.get(), buffer, sizeof buffer, 0);
  if (n <= 0) return false;
  held_.append(buffer, static_cast<size_t>(n));
  return true;
}

std::string RawSocket::ReadBytes(size_t count) {
  while (held_.size() < count && Fill()) {
  }
  std::string bytes = held_.substr(0, count);
  held_.erase(0, bytes.size());
  return bytes;
}

std::string RawSocket::ReadUntil(std::string_view mark) {
  size_t found = 0;
  while ((found = held_.find(mark)) == std::string::npos) {
    if (!Fill()) return {};
  }
  return ReadBytes(found + mark.size());
}

bool RawSocket::AtEnd() {
  if (!held_.empty() || !fd_ || !WaitFor(fd_.get(), POLLIN)) return false;
  char byte = 0;
  return ::recv(fd_.get(), &byte, 1, MSG_PEEK) <= 0;
}

std::string RawSocket::ReadChunks() {
  std::string body;
  while (true) {
    const std::string line = ReadUntil("\r\n");
    size_t size = 0;
    std::from_chars(line.data(), line.data() + line.size(), size, 16);
    body += ReadBytes(size);
    ReadUntil("\r\n");
    if (size == 0) return body;
  }
}

Response RawSocket::ReadAnswer(bool head_only) {
  Response answer{.status = 0};
  const auto lines = Split(ReadUntil("\r\n\r\n"), '\n');
  if (lines.size() < 3 || !lines[0].starts_with("HTTP/1.1 ")) return answer;
  for (size_t i = 1; i + 2 < lines.size(); ++i) {
    const size_t colon = lines[i].find(':');
    answer.headers.emplace_back(lines[i].substr(0, colon), Trim(lines[i].substr(colon + 1)));
  }
  answer.status = static_cast<int>(ParseInt(lines[0].substr(9, 3)).value_or(0));
  if (head_only || answer.status == 204 || answer.status / 100 == 1) return answer;
  if (FindHeader(answer.headers, "Transfer-Encoding") == "chunked") {
    answer.body = ReadChunks();
  } else {
    const auto length = ParseInt(FindHeader(answer.headers, "Content-Length"));
    answer.body = ReadBytes(static_cast<size_t>(length.value_or(0)));
  }
  return answer;
}

}  // namespace muster::http
