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
  // PEM file for https; empty for $SSL_CERT_FILE, else the system's certificates.
  std::string ca_file;
  int64_t connect_timeout_ms = 5'000;
  int64_t timeout_ms = 60'000;  // without a byte of progress
  int64_t gather_ms = 100;      // the longest time for gathering a whole piece of a body
};

// A range of an open file that the caller keeps open; read during the transfer.
struct FileRange {
  int fd = -1;
  int64_t offset = 0;
  int64_t length = 0;
  std::string name;  // for errors
};

// One exchange with all options, for callers that transfer large bodies.
struct Call {
  std::string method = "GET";
  std::string target;
  Headers headers;
  std::string_view body;
  std::optional<FileRange> file;  // instead of `body`
  // Receives the body of a 2xx response until it returns false; empty to store the body in the
  // Response. A fast body arrives in pieces of 256 KiB, aligned to that size.
  std::function<bool(std::string_view)> take;
  // Receives status and headers of a 2xx response before the first byte of its body.
  std::function<void(const Response&)> begin;
  // Receives the number of sent file bytes; returning false ends the call with kConflict.
  std::function<bool(int64_t)> sent;
};

// A blocking client for one server with a persistent connection. One thread at a time.
class Client {
 public:
  static Result<std::unique_ptr<Client>> Create(ClientOptions options);
  virtual ~Client() = default;

  // Any status is a Response; only a transport failure is an Error. A request on a persistent
  // connection that the server had closed is repeated once.
  virtual Result<Response> Send(const std::string& method, const std::string& target,
                                std::string_view body = {}, const Headers& headers = {}) = 0;
  virtual Result<Response> Do(const Call& call) = 0;
  // PUT with the bytes of a file, without holding them in memory.
  virtual Result<Response> SendFile(const std::string& method, const std::string& target,
                                    const os::Path& file, const Headers& headers = {}) = 0;
  // Passes body bytes to `take` as they arrive, until the body ends or `take` returns false. The
  // Response has status, headers and, unless the status is 200, the body. `idle` runs at least
  // every `idle_ms` while no bytes arrive; returning false ends the call.
  virtual Result<Response> Read(const std::string& target, const Headers& headers,
                                const std::function<bool(std::string_view)>& take, int64_t idle_ms,
                                const std::function<bool()>& idle) = 0;
};

struct SseEvent {
  // `id` of this event, else of the last event that had one.
  std::string event = "message", id, data;
};
// Splits a server-sent event stream into events, independent of the chunks.
class SseParser {
 public:
  void Feed(std::string_view bytes, const std::function<void(const SseEvent&)>& take);

 private:
  void TakeLine(std::string_view line, const std::function<void(const SseEvent&)>& take);

  std::string buffer_;  // an incomplete line
  SseEvent current_;
  bool started_ = false;  // after the position of a byte order mark
  bool has_data_ = false;
  bool oversize_ = false;  // the current event exceeds the limit and will be dropped
};

std::string UrlEncode(std::string_view text);
Result<std::string> UrlDecode(std::string_view text);

}  // namespace muster::http
