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

constexpr size_t kPiece = 256 << 10;
// The most of a body that Send keeps in memory.
constexpr size_t kLargestBody = 256 << 20;

struct File {
  os::Fd fd;
  int64_t size = 0;
  std::string name;
};

// What goes out: a head, and behind it text or a file's bytes.
struct Outgoing {
  std::string head;
  std::string_view body;
  const File* file = nullptr;
  bool head_only = false;  // HEAD: the answer has no body
};

// Where an answer's body goes, and what happens while nothing comes.
struct Incoming {
  std::function<bool(std::string_view)> take;  // empty: into the Response
  int64_t idle_ms = 0;
  std::function<bool()> idle;
};

struct Failure {
  Error error;
  bool unanswered = false;  // the connection ended before a byte of the answer
};

// Where the pieces of an answer go.
struct Body {
  const std::function<bool(std::string_view)>& stream;  // empty: everything is kept
  std::string text = {};
  bool ended = false;
  bool too_large = false;

  bool Take(int status, std::string_view piece) {
    if (stream && status == 200) {
      ended = !stream(piece);
    } else {
      ended = too_large = text.size() + piece.size() > kLargestBody;
      if (!ended) text += piece;
    }
    return !ended;
  }
};

Error TooLarge() {
  return {Code::kTooLarge, fmt::format("the server's answer is above {}", HumanSize(kLargestBody)),
          "ask for less at a time"};
}

// Feeds until the parser wants more than there is; cuts what it used off `bytes`.
Status FeedAll(ResponseParser& parser, std::string_view& bytes, const BodyReader::Taker& take,
               const bool& ended) {
  while (!bytes.empty() && !parser.done() && !ended) {
    MUSTER_ASSIGN(const size_t used, parser.Feed(bytes, take));
    bytes.remove_prefix(used);
    if (used == 0) break;
  }
  return {};
}

bool IsClean(std::string_view text) {
  return std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

// Never waits, not even for the other end of a pipe.
Result<File> OpenFile(const os::Path& path) {
  File file;
  MUSTER_ASSIGN(file.fd, os::Open(path, O_RDONLY | O_NONBLOCK));
  struct stat info = {};
  if (::fstat(file.fd.get(), &info) != 0) return FailErrno(errno, "look at " + path.string());
  if (!S_ISREG(info.st_mode)) {
    return Fail(Code::kInvalid,
                fmt::format("cannot send {}: it is not a regular file", path.string()));
  }
  file.size = info.st_size;
  file.name = path.string();
  return file;
}

class BlockingClient final : public Client {
 public:
  BlockingClient(ClientOptions options, Url url, std::optional<TlsContext> tls)
      : options_(std::move(options)), url_(std::move(url)), tls_(std::move(tls)) {}

  Result<Response> Send(const std::string& method, const std::string& target, std::string_view body,
                        const Headers& headers) override;
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
  Status WriteFileBytes(const File& file);
  Outcome ReadAnswer(const Outgoing& outgoing, const Incoming& incoming);
  // As Read of the socket, calling `idle` meanwhile; nothing when that said to end.
  Result<std::optional<size_t>> ReadOrIdle(std::span<char> into, const Incoming& incoming);

  const ClientOptions options_;
  const Url url_;
  const std::optional<TlsContext> tls_;
  std::unique_ptr<ClientSocket> socket_;  // kept between calls; null: none is open
  bool early_answer_ = false;             // it came before the request was sent to its end
};

Result<std::string> BlockingClient::MakeHead(const std::string& method, const std::string& target,
                                             int64_t length, const Headers& headers) const {
  if (!target.starts_with('/') || !IsClean(target) || target.find(' ') != std::string::npos) {
    return Fail(Code::kInvalid,
                fmt::format("\"{}\" cannot be asked of a server", Printable(target)),
                "begin it with '/', and percent-encode blanks");
  }
  std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: muster\r\n", method,
                                 target, HostPort(url_.host, url_.port));
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
  return Perform({std::move(head), body, nullptr, method == "HEAD"}, {});
}

Result<Response> BlockingClient::SendFile(const std::string& method, const std::string& target,
                                          const os::Path& path, const Headers& headers) {
  MUSTER_ASSIGN(const File file, OpenFile(path));
  MUSTER_ASSIGN(std::string head, MakeHead(method, target, file.size, headers));
  return Perform({std::move(head), {}, &file, false}, {});
}

Result<Response> BlockingClient::Read(const std::string& target, const Headers& headers,
                                      const std::function<bool(std::string_view)>& take,
                                      int64_t idle_ms, const std::function<bool()>& idle) {
  MUSTER_ASSIGN(std::string head, MakeHead("GET", target, 0, headers));
  return Perform({std::move(head), {}, nullptr, false}, {take, idle_ms, idle});
}

Result<Response> BlockingClient::Perform(const Outgoing& outgoing, const Incoming& incoming) {
  while (true) {
    // Bytes that nobody asked for, or the end: this connection is of no more use.
    if (socket_ && socket_->Readable()) socket_.reset();
    const bool reused = socket_ != nullptr;
    if (!reused) {
      MUSTER_ASSIGN(socket_, ClientSocket::Connect(url_, tls_ ? &*tls_ : nullptr,
                                                   options_.connect_timeout_ms));
    }
    Outcome outcome = Exchange(outgoing, incoming);
    if (outcome) return std::move(*outcome);
    socket_.reset();
    // The server closed it at the moment of our asking; a fresh connection is asked once more.
    if (reused && outcome.error().unanswered) continue;
    return std::unexpected(std::move(outcome.error().error));
  }
}

BlockingClient::Outcome BlockingClient::Exchange(const Outgoing& outgoing,
                                                 const Incoming& incoming) {
  early_answer_ = false;
  const std::array<std::string_view, 2> parts = {outgoing.head, outgoing.body};
  Status sent = socket_->Write(parts, options_.timeout_ms);
  if (sent && outgoing.file != nullptr) sent = WriteFileBytes(*outgoing.file);
  if (!sent && sent.error().code != Code::kUnavailable) {
    return std::unexpected(Failure{std::move(sent).error()});
  }
  // A server that refuses an upload answers and closes: the answer tells more than the broken pipe.
  Outcome outcome = ReadAnswer(outgoing, incoming);
  if (!sent && !outcome) {
    return std::unexpected(Failure{std::move(sent).error(), outcome.error().unanswered});
  }
  if (!sent || early_answer_) socket_.reset();
  return outcome;
}

Status BlockingClient::WriteFileBytes(const File& file) {
  std::string piece;
  for (int64_t offset = 0; offset < file.size;) {
    if (socket_->Readable()) {
      early_answer_ = true;
      return {};
    }
    piece.resize(static_cast<size_t>(std::min<int64_t>(kPiece, file.size - offset)));
    const ssize_t n = ::pread(file.fd.get(), piece.data(), piece.size(), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FailErrno(errno, "read " + file.name);
    if (n == 0) {
      return Fail(Code::kConflict, fmt::format("{} became shorter while it was sent", file.name),
                  "send it again when nothing writes to it");
    }
    const std::array<std::string_view, 1> parts = {std::string_view(piece.data(), size_t(n))};
    MUSTER_TRY(socket_->Write(parts, options_.timeout_ms));
    offset += n;
  }
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
  Body body{incoming.take};
  const BodyReader::Taker take = [&](std::string_view piece) {
    return body.Take(parser.response().status, piece);
  };
  std::string buffer(kPiece, '\0');
  size_t held = 0;  // unused bytes at the front of the buffer
  bool any = false;
  while (!parser.done() && !body.ended) {
    if (held == buffer.size()) buffer.resize(2 * buffer.size());
    auto n = ReadOrIdle(std::span(buffer).subspan(held), incoming);
    if (!n) {
      const bool broken = n.error().code == Code::kUnavailable;
      return std::unexpected(Failure{std::move(n).error(), broken && !any});
    }
    if (!*n) break;  // `idle` said so
    if (**n == 0) {
      if (Status end = parser.End(); !end) return std::unexpected(Failure{end.error(), !any});
      break;
    }
    any = true;
    std::string_view bytes(buffer.data(), held + **n);
    if (Status fed = FeedAll(parser, bytes, take, body.ended); !fed) {
      return std::unexpected(Failure{std::move(fed).error()});
    }
    held = bytes.size();
    std::ranges::copy(bytes, buffer.begin());
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
