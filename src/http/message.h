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

// Case-insensitive; the first one; empty when absent.
std::string_view FindHeader(const Headers& headers, std::string_view name);

struct Request {
  std::string method;      // "GET"
  std::string path;        // decoded, no query, normalised: no "..", no "//"
  std::string raw_target;  // as sent
  std::vector<std::pair<std::string, std::string>> query;   // decoded, in order
  std::vector<std::pair<std::string, std::string>> params;  // filled by the router: {id} -> "17"
  Headers headers;
  std::string body;  // whole; empty for upload routes
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
// {"error": {"code", "message", "next"}} with the status that fits the code.
Response ErrorResponse(const Error& error);
int StatusOf(Code code);

// A body that is made while it is sent: a position in a file or in the journal. All calls on the
// server's loop.
class Stream {
 public:
  enum class Next { kData, kWait, kEnd };
  virtual ~Stream() = default;
  // kData: `out` was filled (64 KiB or so, never empty). kWait: nothing now; the stream calls the
  // function given to OnReady once there is more. kEnd: no more will come.
  virtual Next Read(std::string& out) = 0;
  virtual void OnReady(std::function<void()> wake) = 0;
  // Sent when nothing else was for 15 s, so that dead peers are found; empty: nothing is sent.
  virtual std::string KeepAlive() { return {}; }
};

// A body that lies in a file. It goes out without passing through our memory where it can.
struct FileBody {
  os::Fd file;  // may be none for an answer to HEAD, which tells the length all the same
  int64_t offset = 0;
  int64_t length = 0;
};

// How a handler answers: exactly once, at once or later, on the loop. Dropped unanswered, it
// answers 500 by itself. A client that went away makes answering a no-op.
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
  Reply& operator=(Reply&& other) noexcept;  // answers the one it takes the place of
  ~Reply();
  void Send(Response response);
  void SendStream(Response head, std::unique_ptr<Stream> stream);
  void SendFile(Response head, FileBody body);  // closes the connection where the file is too short

 private:
  std::shared_ptr<Sink> sink_;
};

// Takes a request body as it comes, for bodies that memory should not hold.
class BodySink {
 public:
  virtual ~BodySink() = default;
  virtual Status Write(std::string_view bytes) = 0;  // an Error ends the upload and is the answer
  virtual void Finish(Reply reply) = 0;              // the whole body was written
  // Whether the head of the request showed that its sender may make it. Where it did not, the
  // connection has less time; see unauthorised.h.
  virtual bool authorised() const { return true; }
  // How an Error of Write is told to the client.
  virtual Response Refusal(const Error& error) { return ErrorResponse(error); }
};

}  // namespace muster::http
