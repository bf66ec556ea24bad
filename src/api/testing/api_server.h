#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "api/api.h"
#include "engines/fake_engine.h"
#include "http/client.h"
#include "http/server.h"
#include "os/temp_dir.h"

namespace muster::api {

// For tests: the whole API on a real listener, with a real journal and conductor, and a fake
// engine. Requests come from the test's thread; everything else runs on the server's.
class ApiServer {
 public:
  static constexpr const char* kToken = "sesame";

  ApiServer();
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // With the token. `target` is below /api/v1.
  http::Response Send(const std::string& method, const std::string& target,
                      std::string_view body = {}, http::Headers headers = {});
  http::Response Get(const std::string& target, http::Headers headers = {}) {
    return Send("GET", target, {}, std::move(headers));
  }
  // The JSON object of a success response; otherwise the test fails.
  json::object GetObject(const std::string& target);
  // Sends exactly these bytes on a new connection and returns the response.
  http::Response SendRaw(const std::string& bytes);

  // Runs `fn` on the server's loop and waits for it.
  void OnLoop(const std::function<void()>& fn);
  // Submits a small job, which starts at once if devices are free. Returns its id.
  JobId Submit(const std::string& devices = "cpu:2", json::object more = {});
  // Events as from its launchers. `index` counts the attempts started so far.
  void Begin(size_t index);
  void End(size_t index, const ExitReport& report = {.how = ExitClass::kSucceeded});

  os::Path data() const { return dir_.path(); }
  // Waits for the shutdown request; the server keeps running for the rest of the test.
  void WaitForShutdown() const { shutdowns_.wait(0); }
  engines::FakeEngine& engine() { return engine_; }  // on the loop
  http::Router& router() { return router_; }

 private:
  void Settle();

  os::TempDir dir_;
  http::Router router_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<store::Journal> journal_;
  store::CodeStore code_;
  engines::FakeEngine engine_;
  std::unique_ptr<os::FileWatch> files_;
  std::unique_ptr<os::Pool> pool_;
  std::unique_ptr<lifecycle::Conductor> conductor_;
  std::unique_ptr<ApiParts> parts_;
  std::atomic<int> shutdowns_ = 0;
  std::thread thread_;
};

}  // namespace muster::api
