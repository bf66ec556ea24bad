#include "http/client.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include <fmt/format.h>

#include "base/text.h"
#include "http/client_socket.h"
#include "http/response_parser.h"
#include "http/url.h"

namespace muster::http {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr size_t kPiece = 256 << 10;
// The largest body that Send keeps in memory.
constexpr size_t kLargestBody = 256 << 20;

// An outgoing request: a head, followed by text or the bytes of a file.
struct Outgoing {
  std::string head;
  std::string_view body;
  const FileRange* file = nullptr;
  bool head_only = false;  // HEAD: the response has no body
  const std::function<bool(int64_t)>* sent = nullptr;
};

// The destination of a response body, and the callback while no bytes arrive.
struct Incoming {
  std::function<bool(std::string_view)> take;  // empty to store the body in the Response
  int64_t idle_ms = 0;
  std::function<bool()> idle;
  bool any_success = false;  // `take` receives the body of every 2xx response, not only of 200
  bool in_pieces = false;    // pass whole pieces to `take` if they arrive quickly
  const std::function<void(const Response&)>* begin = nullptr;
};

struct Failure {
  Error error;
  bool unanswered = false;  // the connection ended before the first byte of the response
};

// The destination of the body bytes.
struct Body {
  const Incoming& incoming;
  std::string text = {};
  size_t taken = 0;
  bool begun = false;
  bool ended = false;
  bool too_large = false;

  bool Take(const Response& head, std::string_view piece) {
    const int status = head.status;
    const bool wanted = status == 200 || (incoming.any_success && status / 100 == 2);
    if (incoming.take && wanted) {
      if (!begun && incoming.begin != nullptr) (*incoming.begin)(head);
      begun = true;
      taken += piece.size();
      ended = !incoming.take(piece);
    } else {
      ended = too_large = text.size() + piece.size() > kLargestBody;
      if (!ended) text += piece;
    }
    return !ended;
  }

  // The number of bytes to pass at once: pieces that begin and end at page boundaries of a file,
  // for which file systems allocate few large pages.
  size_t Enough(const ResponseParser& parser) const {
    const auto left = incoming.in_pieces ? parser.body_left() : std::nullopt;
    return left ? std::min(kPiece - taken % kPiece, static_cast<size_t>(*left)) : 0;
  }
};

Error TooLarge() {
  return {Code::kTooLarge, fmt::format("the server's answer is above {}", HumanSize(kLargestBody)),
          "ask for less at a time"};
}

// Feeds the parser until it needs more bytes. While `patient`, a body is passed in whole pieces.
// Removes the consumed bytes from `bytes`.
Status FeedAll(ResponseParser& parser, std::string_view& bytes, const BodyReader::Taker& take,
               const Body& body, bool patient) {
  while (!bytes.empty() && !parser.done() && !body.ended) {
    if (patient && parser.head_done() && bytes.size() < body.Enough(parser)) break;
    MUSTER_ASSIGN(const size_t used, parser.Feed(bytes, take));
    bytes.remove_prefix(used);
    if (used == 0) break;
  }
  return {};
}

bool IsClean(std::string_view text) {
  return std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

// Opens without blocking, even on a pipe without a writer.
Result<FileRange> OpenFile(const os::Path& path, os::Fd& fd) {
  MUSTER_ASSIGN(fd, os::Open(path, O_RDONLY | O_NONBLOCK));
  struct stat info = {};
  if (::fstat(fd.get(), &info) != 0) return FailErrno(errno, "look at " + path.string());
  if (!S_ISREG(info.st_mode)) {
    return Fail(Code::kInvalid,
                fmt::format("cannot send {}: it is not a regular file", path.string()));
  }
  return FileRange{fd.get(), 0, info.st_size, path.string()};
}

class BlockingClient final : public Client {
 public:
  BlockingClient(ClientOptions options, Url url, std::optional<TlsContext> tls)
      : options_(std::move(options)), url_(std::move(url)), tls_(std::move(tls)) {}

  Result<Response> Send(const std::string& method, const std::string& target, std::string_view body,
                        const Headers& headers) override;
  Result<Response> Do(const Call& call) override;
  Result<Response> SendFile(const std::string& method, const std::string& target,
                            const os::Path& file, const Headers& headers) override;
  Result<Response> Read(const std::string& target, const Headers& headers,
                        const std::function<bool(std::string_view)>& take, int64_t idle_ms,
                        const std::function<bool()>& idle) override;

 private:
  using Outcome = std::expected<Response, Failure>;

  Result<std::string> MakeHead(const std::string& method, const std::string& target, int64_t length,
                               const Headers& headers) const;
  Result<Response> Perform(const Outgoing& outgoing, const Incoming& incoming);
  Outcome Exchange(const Outgoing& outgoing, const Incoming& incoming);
  Status WriteRequest(const Outgoing& outgoing);
  Status WriteFileBytes(const Outgoing& outgoing);
  Outcome ReadAnswer(const Outgoing& outgoing, const Incoming& incoming);
  // Reads from the socket and calls `idle` while no bytes arrive. Nothing if `idle` returned false.
  Result<std::optional<size_t>> ReadOrIdle(std::span<char> into, const Incoming& incoming);

  const ClientOptions options_;
  const Url url_;
  const std::optional<TlsContext> tls_;
  std::unique_ptr<ClientSocket> socket_;  // kept between calls; null if no connection is open
  bool early_answer_ = false;  // the response arrived before the request was sent completely
  std::string buffer_;         // read buffer, kept between calls
};

Result<std::string> BlockingClient::MakeHead(const std::string& method, const std::string& target,
                                             int64_t length, const Headers& headers) const {
  if (!target.starts_with('/') || !IsClean(target) || target.find(' ') != std::string::npos) {
    return Fail(Code::kInvalid,
                fmt::format("\"{}\" cannot be asked of a server", Printable(target)),
                "begin it with '/', and percent-encode blanks");
  }
  std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: muster\r\n", method,
                                 target, HostHeader(url_));
  if (!options_.token.empty()) head += fmt::format("Authorization: Bearer {}\r\n", options_.token);
  if (length > 0 || (method != "GET" && method != "HEAD")) {
    head += fmt::format("Content-Length: {}\r\n", length);
  }
  for (const auto& [name, value] : headers) {
    if (!IsClean(name) || !IsClean(value) || name.empty()) {
      return Fail(Code::kInvalid,
                  fmt::format("the header \"{}\" has a line break or another control "
                              "character in it",
                              Printable(name)));
    }
    head += fmt::format("{}: {}\r\n", name, value);
  }
  return head += "\r\n";
}

Result<Response> BlockingClient::Send(const std::string& method, const std::string& target,
                                      std::string_view body, const Headers& headers) {
  MUSTER_ASSIGN(std::string head,
                MakeHead(method, target, static_cast<int64_t>(body.size()), headers));
  return Perform({std::move(head), body, nullptr, method == "HEAD", nullptr}, {});
}

Result<Response> BlockingClient::SendFile(const std::string& method, const std::string& target,
                                          const os::Path& path, const Headers& headers) {
  os::Fd fd;
  MUSTER_ASSIGN(const FileRange file, OpenFile(path, fd));
  MUSTER_ASSIGN(std::string head, MakeHead(method, target, file.length, headers));
  return Perform({std::move(head), {}, &file, false, nullptr}, {});
}

Result<Response> BlockingClient::Do(const Call& call) {
  const int64_t length = call.file ? call.file->length : static_cast<int64_t>(call.body.size());
  MUSTER_ASSIGN(std::string head, MakeHead(call.method, call.target, length, call.headers));
  const Outgoing outgoing{std::move(head), call.file ? std::string_view() : call.body,
                          call.file ? &*call.file : nullptr, call.method == "HEAD",
                          call.sent ? &call.sent : nullptr};
  return Perform(outgoing, {.take = call.take,
                            .any_success = true,
                            .in_pieces = true,
                            .begin = call.begin ? &call.begin : nullptr});
}

Result<Response> BlockingClient::Read(const std::string& target, const Headers& headers,
                                      const std::function<bool(std::string_view)>& take,
                                      int64_t idle_ms, const std::function<bool()>& idle) {
  MUSTER_ASSIGN(std::string head, MakeHead("GET", target, 0, headers));
  return Perform({std::move(head), {}, nullptr, false, nullptr}, {take, idle_ms, idle});
}

Result<Response> BlockingClient::Perform(const Outgoing& outgoing, const Incoming& incoming) {
  while (true) {
    // Unexpected bytes, or the end of the connection: it cannot be reused.
    if (socket_ && socket_->Readable()) socket_.reset();
    const bool reused = socket_ != nullptr;
    if (!reused) {
      MUSTER_ASSIGN(socket_, ClientSocket::Connect(url_, tls_ ? &*tls_ : nullptr,
                                                   options_.connect_timeout_ms));
    }
    Outcome outcome = Exchange(outgoing, incoming);
    if (outcome) return std::move(*outcome);
    socket_.reset();
    // The server closed the idle connection at the same moment; the request is repeated once on a
    // new connection.
    if (reused && outcome.error().unanswered) continue;
    return std::unexpected(std::move(outcome.error().error));
  }
}

BlockingClient::Outcome BlockingClient::Exchange(const Outgoing& outgoing,
                                                 const Incoming& incoming) {
  early_answer_ = false;
  Status sent = WriteRequest(outgoing);
  if (!sent && sent.error().code != Code::kUnavailable) {
    return std::unexpected(Failure{std::move(sent).error()});
  }
  // A server that refuses an upload responds and closes: the response explains more than the broken
  // pipe.
  Outcome outcome = ReadAnswer(outgoing, incoming);
  if (!sent && !outcome) {
    return std::unexpected(Failure{std::move(sent).error(), outcome.error().unanswered});
  }
  if (!sent || early_answer_) socket_.reset();
  return outcome;
}

Status BlockingClient::WriteRequest(const Outgoing& outgoing) {
  if (outgoing.file != nullptr) return WriteFileBytes(outgoing);
  const std::array<std::string_view, 2> parts = {outgoing.head, outgoing.body};
  return socket_->Write(parts, options_.timeout_ms);
}

// The head is sent together with the first piece, so that a small file is one packet.
Status BlockingClient::WriteFileBytes(const Outgoing& outgoing) {
  const FileRange& file = *outgoing.file;
  buffer_.resize(std::max(buffer_.size(), kPiece));
  std::string_view head = outgoing.head;
  int64_t done = 0;
  do {
    if (done > 0 && socket_->Readable()) {
      early_answer_ = true;
      return {};
    }
    const auto wanted = static_cast<size_t>(std::min<int64_t>(kPiece, file.length - done));
    const ssize_t n = ::pread(file.fd, buffer_.data(), wanted, file.offset + done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FailErrno(errno, "read " + file.name);
    if (n == 0 && wanted > 0) {
      return Fail(Code::kConflict, fmt::format("{} became shorter while it was sent", file.name),
                  "send it again when nothing writes to it");
    }
    const std::array<std::string_view, 2> parts = {head, {buffer_.data(), size_t(n)}};
    MUSTER_TRY(socket_->Write(parts, options_.timeout_ms));
    head = {};
    done += n;
    if (outgoing.sent != nullptr && !(*outgoing.sent)(n)) {
      return Fail(Code::kConflict, fmt::format("sending {} was ended", file.name));
    }
  } while (done < file.length);
  return {};
}

Result<std::optional<size_t>> BlockingClient::ReadOrIdle(std::span<char> into,
                                                         const Incoming& incoming) {
  if (!incoming.idle) return socket_->Read(into, options_.timeout_ms);
  const int64_t slice = std::max<int64_t>(incoming.idle_ms, 1);
  for (int64_t waited = 0;; waited += slice) {
    auto n = socket_->Read(into, std::min(slice, options_.timeout_ms));
    if (n || n.error().code != Code::kTimeout || waited + slice >= options_.timeout_ms) return n;
    if (!incoming.idle()) return std::nullopt;
  }
}

BlockingClient::Outcome BlockingClient::ReadAnswer(const Outgoing& outgoing,
                                                   const Incoming& incoming) {
  ResponseParser parser(outgoing.head_only);
  Body body{incoming};
  const BodyReader::Taker take = [&](std::string_view piece) {
    return body.Take(parser.response(), piece);
  };
  buffer_.resize(std::max(buffer_.size(), kPiece));
  std::string& buffer = buffer_;
  size_t held = 0;  // unconsumed bytes at the front of the buffer
  bool any = false;
  const std::chrono::milliseconds patience(options_.gather_ms);
  auto began = SteadyClock::now();  // the time limit for gathering a piece
  while (!parser.done() && !body.ended) {
    if (held == buffer.size()) buffer.resize(2 * buffer.size());
    std::span<char> into = std::span(buffer).subspan(held);
    const size_t piece = parser.head_done() ? body.Enough(parser) : 0;
    if (piece > held) into = into.first(std::min(into.size(), piece - held));
    socket_->WaitForBytes(piece > held ? into.size() : 1, options_.gather_ms);
    auto n = ReadOrIdle(into, incoming);
    if (!n) {
      const bool broken = n.error().code == Code::kUnavailable;
      return std::unexpected(Failure{std::move(n).error(), broken && !any});
    }
    if (!*n) break;  // `idle` returned false
    if (**n == 0) {
      if (Status end = parser.End(); !end) return std::unexpected(Failure{end.error(), !any});
      break;
    }
    any = true;
    std::string_view bytes(buffer.data(), held + **n);
    const auto now = SteadyClock::now();
    if (held == 0) began = now;
    if (Status fed = FeedAll(parser, bytes, take, body, now - began < patience); !fed) {
      return std::unexpected(Failure{std::move(fed).error()});
    }
    held = bytes.size();
    if (bytes.data() != buffer.data()) std::ranges::copy(bytes, buffer.begin());
  }
  if (body.too_large) return std::unexpected(Failure{TooLarge()});
  const bool whole = parser.done() && held == 0 && parser.keep_alive();
  if (!whole) socket_.reset();
  Response response = std::move(parser.response());
  response.body = std::move(body.text);
  return response;
}

}  // namespace

Result<std::unique_ptr<Client>> Client::Create(ClientOptions options) {
  MUSTER_ASSIGN(Url url, ParseUrl(options.url));
  if (!IsClean(options.token)) {
    return Fail(Code::kInvalid, "the token has a line break or another control character in it",
                "copy it again from the server's endpoint.json");
  }
  std::optional<TlsContext> tls;
  if (url.tls) {
    MUSTER_ASSIGN(tls, TlsContext::ForClient(options.ca_file));
  }
  return std::make_unique<BlockingClient>(std::move(options), std::move(url), std::move(tls));
}

}  // namespace muster::http
