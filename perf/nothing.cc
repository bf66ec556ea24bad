// A store that does nothing, to see what any store could reach: objects are the same few bytes of memory over and over, nothing is
// checked, and with "swallow" what is written is thrown away. Its sockets are set as those of our store. Whatever else is asked goes to a real store, once: the same question
// is answered from memory the next time.
//   nothing PORT REAL-PORT OBJECT-SIZE [swallow]
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

uint16_t real_port;
size_t object_size;
const std::string bytes(128 << 10, 'x');  // any of an object, as often as it takes
bool swallow = false;

std::mutex mutex;
std::map<std::string, std::string> answered;  // by the first line of the question

const std::string kEtag = "ETag: \"d41d8cd98f00b204e9800998ecf8427e\"\r\n";
const std::string kRest = "Content-Type: application/octet-stream\r\nLast-Modified: Mon, 16 Nov 2026 10:00:00 GMT\r\n"
                          "Accept-Ranges: bytes\r\n\r\n";

std::string_view HeaderOf(std::string_view head, std::string_view name) {
  for (size_t at = head.find("\r\n"); at != head.npos; at = head.find("\r\n", at + 2)) {
    const std::string_view line = head.substr(at + 2);
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    if (::strncasecmp(line.data(), name.data(), name.size()) != 0) continue;
    const std::string_view value = line.substr(name.size() + 2);
    return value.substr(0, value.find("\r\n"));
  }
  return {};
}

size_t LengthOf(std::string_view head) {
  const std::string text(HeaderOf(head, "content-length"));
  return text.empty() ? 0 : std::strtoull(text.c_str(), nullptr, 10);
}

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// The request as it came, signature and all, and the whole answer.
std::string AskRealStore(const std::string& request) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Loopback(real_port);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) std::abort();
  for (std::string_view left = request; !left.empty();) {
    const ssize_t count = ::send(fd, left.data(), left.size(), MSG_NOSIGNAL);
    if (count <= 0) break;
    left.remove_prefix(size_t(count));
  }
  std::string answer;
  std::array<char, 65536> buffer;
  for (size_t head = answer.npos;;) {
    if (head == answer.npos) head = answer.find("\r\n\r\n");
    const bool bodiless = request.starts_with("HEAD") || answer.starts_with("HTTP/1.1 204");
    if (head != answer.npos && (bodiless || answer.size() >= head + 4 + LengthOf(std::string_view(answer).substr(0, head + 2)))) break;
    const ssize_t count = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (count <= 0) break;
    answer.append(buffer.data(), size_t(count));
  }
  ::close(fd);
  return answer;
}

std::string XmlAnswer(const std::string& root, const std::string& inside) {
  const std::string body = "<" + root + "><Bucket>b</Bucket><Key>k</Key>" + inside + "</" + root + ">";
  return "HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

struct Connection {
  explicit Connection(int socket) : fd(socket) {}
  int fd;
  std::string in, out;
  size_t body = 0;         // so many bytes behind `out`
  std::string swallowing;  // the head of a request whose body is on its way
  size_t to_swallow = 0;
};

struct Question {
  explicit Question(std::string_view head) {
    method = head.substr(0, head.find(' '));
    std::string_view target = head.substr(method.size() + 1);
    target = target.substr(0, target.find(' '));
    const size_t mark = std::min(target.find('?'), target.size());
    const std::string_view path = target.substr(0, mark);
    query = target.substr(std::min(mark + 1, target.size()));
    const size_t slash = path.find('/', 1);
    is_object = slash != path.npos && slash + 1 < path.size() && !path.ends_with('/');
  }
  std::string_view method, query;
  bool is_object = false;
};

void AnswerObject(Connection& c, std::string_view head, bool with_body) {
  unsigned long long from = 0, to = object_size - 1;
  const std::string range(HeaderOf(head, "range"));
  if (!range.empty()) std::sscanf(range.c_str(), "bytes=%llu-%llu", &from, &to);
  to = std::min<unsigned long long>(to, object_size - 1);
  c.out += range.empty() ? "HTTP/1.1 200 OK\r\n"
                         : "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes " + std::to_string(from) + "-" + std::to_string(to) +
                               "/" + std::to_string(object_size) + "\r\n";
  c.out += "Content-Length: " + std::to_string(to - from + 1) + "\r\n" + kEtag + kRest;
  if (!with_body) return;
  c.body = to - from + 1;
  if (c.body <= 65536) c.out.append(bytes, 0, std::exchange(c.body, 0));
}

void Answer(Connection& c, const std::string& head, const std::string& body) {
  const Question question(head);
  const bool reads = question.method == "GET" || question.method == "HEAD";
  if (question.is_object && reads && question.query.find("uploadId") == question.query.npos) {
    return AnswerObject(c, head, question.method == "GET");
  }
  if (question.is_object && swallow && question.method == "PUT") {
    c.out += "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + kEtag + "\r\n";
    return;
  }
  if (question.is_object && swallow && question.method == "POST") {
    c.out += question.query.starts_with("uploads") ? XmlAnswer("InitiateMultipartUploadResult", "<UploadId>u</UploadId>")
                                                   : XmlAnswer("CompleteMultipartUploadResult", "<ETag>\"e-1\"</ETag>");
    return;
  }
  const std::string first_line = head.substr(0, head.find("\r\n"));
  const std::lock_guard lock(mutex);
  if (!reads) {
    c.out += AskRealStore(head + body);
    answered.clear();
    return;
  }
  std::string& answer = answered[first_line];
  if (!answer.starts_with("HTTP/1.1 200")) answer = AskRealStore(head);
  c.out += answer;
}

// Sends what it can. False where the peer is gone.
bool Send(Connection& c) {
  while (!c.out.empty() || c.body > 0) {
    const bool head = !c.out.empty();
    const std::string_view some = head ? std::string_view(c.out) : std::string_view(bytes).substr(0, c.body);
    const ssize_t count = ::send(c.fd, some.data(), some.size(), MSG_NOSIGNAL | (head && c.body > 0 ? MSG_MORE : 0));
    if (count < 0) return errno == EAGAIN;
    head ? void(c.out.erase(0, size_t(count))) : void(c.body -= size_t(count));
  }
  return true;
}

// One request of what came, if it is whole; or the end of one whose body is thrown away.
bool TakeRequest(Connection& c) {
  if (c.to_swallow > 0) {
    const size_t some = std::min(c.to_swallow, c.in.size());
    c.in.erase(0, some);
    if ((c.to_swallow -= some) > 0) return false;
    Answer(c, std::exchange(c.swallowing, {}), {});
    return true;
  }
  const size_t end = c.in.find("\r\n\r\n");
  if (end == c.in.npos) return false;
  const std::string head = c.in.substr(0, end + 4);
  const size_t length = LengthOf(head);
  if (length > 0 && !HeaderOf(head, "expect").empty()) {
    static constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
    if (c.in.size() == head.size()) ::send(c.fd, kGoOn.data(), kGoOn.size(), MSG_NOSIGNAL);
  }
  if (swallow && length > 0 && head.starts_with("PUT")) {
    c.in.erase(0, head.size());
    c.swallowing = head;
    c.to_swallow = length;
    return TakeRequest(c);
  }
  if (c.in.size() < head.size() + length) return false;
  const std::string body = c.in.substr(head.size(), length);
  c.in.erase(0, head.size() + length);
  Answer(c, head, body);
  return true;
}

// Goes on until there is nothing to read and nothing to send. False where the peer is gone.
bool Serve(Connection& c) {
  static thread_local std::vector<char> buffer(256 << 10);
  while (true) {
    if (!Send(c)) return false;
    if (!c.out.empty() || c.body > 0) return true;  // no room: told when there is
    if (TakeRequest(c)) continue;
    const ssize_t count = ::recv(c.fd, buffer.data(), buffer.size(), 0);
    if (count == 0) return false;
    if (count < 0) return errno == EAGAIN;
    const size_t thrown_away = std::min(c.to_swallow > 0 ? c.to_swallow - 1 : 0, size_t(count));  // the last tells that it is whole
    c.to_swallow -= thrown_away;
    c.in.append(buffer.data() + thrown_away, size_t(count) - thrown_away);
  }
}

void Loop(int listener) {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  epoll_event listening{EPOLLIN | EPOLLEXCLUSIVE, {nullptr}};
  ::epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &listening);
  std::array<epoll_event, 64> events;
  while (true) {
    const int count = ::epoll_wait(epoll, events.data(), int(events.size()), -1);
    for (int i = 0; i < count; ++i) {
      auto* connection = static_cast<Connection*>(events[size_t(i)].data.ptr);
      if (connection == nullptr) {
        const int fd = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) continue;
        connection = new Connection(fd);
        epoll_event event{EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, {connection}};
        ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
      }
      if (Serve(*connection)) continue;
      ::close(connection->fd);
      delete connection;
    }
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) return 2;
  real_port = uint16_t(std::atoi(words[2]));
  object_size = std::strtoull(words[3], nullptr, 10);
  swallow = count > 4 && std::string_view(words[4]) == "swallow";
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int most_unsent = 1 << 20;
  ::setsockopt(listener, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
  ::setsockopt(listener, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &most_unsent, sizeof most_unsent);
  const sockaddr_in address = Loopback(uint16_t(std::atoi(words[1])));
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || ::listen(listener, 4096) != 0) {
    std::perror("nothing: listen");
    return 1;
  }
  const std::jthread other([listener] { Loop(listener); });
  Loop(listener);
}
