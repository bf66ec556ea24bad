#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "os/fd.h"

namespace muster::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

// The first header with this name, case-insensitive; empty if absent.
std::string_view FindHeader(const Headers& headers, std::string_view name);

struct Request {
  std::string method;      // "GET"
  std::string path;        // decoded and normalised, without query, ".." and "//"
  std::string raw_target;  // as sent
  std::vector<std::pair<std::string, std::string>> query;   // decoded, in order
  std::vector<std::pair<std::string, std::string>> params;  // filled by the router: {id} -> "17"
  Headers headers;
  std::string body;  // the whole body; empty for upload routes
  std::string peer;  // "127.0.0.1:4711"

  std::string_view Param(std::string_view name) const;
  std::optional<std::string_view> Query(std::string_view name) const;
};

struct Response {
  int status = 200;
  Headers headers;
  std::string body;
};

Response JsonResponse(int status, const json::value& value);
// {"error": {"code", "message", "next"}} with the status for the code.
Response ErrorResponse(const Error& error);
int StatusOf(Code code);

// A response body that is produced while it is sent: a position in a file or in the journal. All
// calls run on the server's loop.
class Stream {
 public:
  enum class Next { kData, kWait, kEnd };
  virtual ~Stream() = default;
  // kData: `out` contains bytes (about 64 KiB, never empty). kWait: no bytes now; the stream calls
  // the function given to OnReady when there are more. kEnd: the body is complete.
  virtual Next Read(std::string& out) = 0;
  virtual void OnReady(std::function<void()> wake) = 0;
  // Sent after 15 s of silence to detect dead peers; empty to send nothing.
  virtual std::string KeepAlive() { return {}; }
};

// A response body in a file. Sent without a copy in memory where possible.
struct FileBody {
  os::Fd file;  // may be invalid for a response to HEAD, which still has the length
  int64_t offset = 0;
  int64_t length = 0;
};

// The response of a handler: exactly one call, immediately or later, on the loop. A Reply that is
// destroyed without a call sends 500. If the client has disconnected, a call has no effect.
class Reply {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void Send(Response response) = 0;
    virtual void SendStream(Response head, std::unique_ptr<Stream> stream) = 0;
    virtual void SendFile(Response head, FileBody body) = 0;
  };
  explicit Reply(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}  // shared with the session
  Reply(Reply&&) = default;
  Reply& operator=(Reply&& other) noexcept;  // sends the response of the Reply that it replaces
  ~Reply();
  void Send(Response response);
  void SendStream(Response head, std::unique_ptr<Stream> stream);
  void SendFile(Response head, FileBody body);  // closes the connection if the file is too short

 private:
  std::shared_ptr<Sink> sink_;
};

// Receives a request body piece by piece, for bodies that are too large for memory.
class BodySink {
 public:
  virtual ~BodySink() = default;
  // An Error ends the upload and becomes the response.
  virtual Status Write(std::string_view bytes) = 0;
  virtual void Finish(Reply reply) = 0;  // the body is complete
  // Whether the head of the request showed that its sender may make it. Where it did not, the
  // connection has less time; see unauthorised.h.
  virtual bool authorised() const { return true; }
  // The response for an Error of Write.
  virtual Response Refusal(const Error& error) { return ErrorResponse(error); }
};

}  // namespace muster::http
