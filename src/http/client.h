#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"
#include "os/file.h"

namespace muster::http {

struct ClientOptions {
  std::string url;  // "http://host:port" or https
  std::string token;
  std::string ca_file;  // PEM, for https; empty: $SSL_CERT_FILE, else the system's
  int64_t connect_timeout_ms = 5'000;
  int64_t timeout_ms = 60'000;  // without a byte of progress
  int64_t gather_ms = 100;      // the longest that a piece of a body waits until it is whole
};

// A stretch of an open file that the caller keeps open; read while it is sent.
struct FileRange {
  int fd = -1;
  int64_t offset = 0;
  int64_t length = 0;
  std::string name;  // for errors
};

// One exchange with all that can be said of it, for those who move large bodies.
struct Call {
  std::string method = "GET";
  std::string target;
  Headers headers;
  std::string_view body;
  std::optional<FileRange> file;  // instead of `body`
  // The body of an answer of 2xx until it returns false; empty: into the Response. Where it comes
  // quickly, it comes in pieces of 256 KiB, each at a multiple of that.
  std::function<bool(std::string_view)> take;
  // The status and headers of an answer of 2xx, before the first byte of its body goes to `take`.
  std::function<void(const Response&)> begin;
  // Told of the bytes of the file that went out; false ends the call with kConflict.
  std::function<bool(int64_t)> sent;
};

// A blocking client for one server, keeping its connection open. One thread at a time.
class Client {
 public:
  static Result<std::unique_ptr<Client>> Create(ClientOptions options);
  virtual ~Client() = default;

  // Any status is a Response; only transport trouble is an Error. A request on a kept connection
  // that the server had closed is sent once more.
  virtual Result<Response> Send(const std::string& method, const std::string& target,
                                std::string_view body = {}, const Headers& headers = {}) = 0;
  virtual Result<Response> Do(const Call& call) = 0;
  // PUT of a file's bytes without holding them in memory.
  virtual Result<Response> SendFile(const std::string& method, const std::string& target,
                                    const os::Path& file, const Headers& headers = {}) = 0;
  // Hands body bytes on as they come, until the body ends or `take` returns false. The Response has
  // status, headers and, unless it is 200, the body. `idle` runs at least every `idle_ms` while
  // nothing comes; false ends the call.
  virtual Result<Response> Read(const std::string& target, const Headers& headers,
                                const std::function<bool(std::string_view)>& take, int64_t idle_ms,
                                const std::function<bool()>& idle) = 0;
};

struct SseEvent {
  std::string event = "message", id, data;  // `id`: of this event, else of the last that had one
};
// Cuts a server-sent event stream into events, whatever the chunks.
class SseParser {
 public:
  void Feed(std::string_view bytes, const std::function<void(const SseEvent&)>& take);

 private:
  void TakeLine(std::string_view line, const std::function<void(const SseEvent&)>& take);

  std::string buffer_;  // a line that has not ended yet
  SseEvent current_;
  bool started_ = false;  // past the place where a byte order mark may stand
  bool has_data_ = false;
  bool oversize_ = false;  // the event being read is above the limit and will be dropped
};

std::string UrlEncode(std::string_view text);
Result<std::string> UrlDecode(std::string_view text);

}  // namespace muster::http
