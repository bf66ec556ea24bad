#pragma once

#include <atomic>
#include <deque>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "http/raw_socket.h"
#include "http/server.h"

namespace muster::http {

// For tests: what a TestStream sends. Used on the loop only, except `streams`.
struct StreamScript {
  std::deque<std::string> pieces;
  bool ended = false;
  std::string keep_alive;
  int64_t endless = 0;  // bytes of each of endless pieces; 0 to send only those above
  std::function<void()> wake;
  std::atomic<int> streams = 0;  // existing streams with this script
};

// For tests: a server with a few routes on a thread of its own, stopped by the destructor.
//   GET  /hello (open)   "hello"            GET  /secret        "secret"
//   POST /echo           the body, to 64 KiB   GET /jobs/{id}, DELETE /jobs/{id}: the id
//   GET  /later          answered by AnswerLater   GET /drop, GET /throw: handlers that fail
//   GET  /stream         follows `script`   PUT  /upload/{name}  counts bytes, to 64 MiB
class TestServer {
 public:
  static constexpr const char* kToken = "s3cret";
  static constexpr const char* kAuth = "Host: localhost\r\nAuthorization: Bearer s3cret\r\n";

  explicit TestServer(ServerOptions options = {});
  ~TestServer();
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  Server& server() { return *server_; }
  int port() const { return server_->port(); }
  RawSocket Connect() const { return RawSocket(port()); }
  Response Ask(std::string_view request) const { return Connect().Ask(request); }

  // Runs `fn` on the loop and waits for it.
  void OnLoop(const std::function<void()>& fn);
  // Polls `condition` on the loop; false after ten seconds.
  bool Eventually(const std::function<bool()>& condition);
  void AnswerLater();  // answers the oldest request to /later; waits until there is one
  void Feed(std::string piece);
  void EndStream();
  void Shutdown(int64_t drain_ms);
  void Join();  // waits until Run has returned

  std::shared_ptr<StreamScript> script = std::make_shared<StreamScript>();
  struct Uploads {
    int64_t bytes = 0, largest_piece = 0;
    int finished = 0, dropped = 0;
    int64_t fail_after = -1;
  };
  std::shared_ptr<Uploads> uploads = std::make_shared<Uploads>();

 private:
  void AddRoutes();

  Router router_;
  std::deque<Reply> later_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

}  // namespace muster::http
