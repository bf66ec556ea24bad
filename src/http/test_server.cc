#include "http/test_server.h"

#include <chrono>
#include <stdexcept>

#include <gtest/gtest.h>

namespace muster::http {
namespace {

class TestStream final : public Stream {
 public:
  explicit TestStream(std::shared_ptr<StreamScript> script) : script_(std::move(script)) {
    ++script_->streams;
  }
  ~TestStream() override { --script_->streams; }

  Next Read(std::string& out) override {
    if (script_->endless > 0) {
      out.assign(static_cast<size_t>(script_->endless), 'x');
      return Next::kData;
    }
    if (!script_->pieces.empty()) {
      out = std::move(script_->pieces.front());
      script_->pieces.pop_front();
      return Next::kData;
    }
    return script_->ended ? Next::kEnd : Next::kWait;
  }
  void OnReady(std::function<void()> wake) override { script_->wake = std::move(wake); }
  std::string KeepAlive() override { return script_->keep_alive; }

 private:
  std::shared_ptr<StreamScript> script_;
};

class CountingSink final : public BodySink {
 public:
  explicit CountingSink(std::shared_ptr<TestServer::Uploads> uploads)
      : uploads_(std::move(uploads)) {}
  ~CountingSink() override { uploads_->dropped += finished_ ? 0 : 1; }

  Status Write(std::string_view bytes) override {
    uploads_->bytes += static_cast<int64_t>(bytes.size());
    uploads_->largest_piece = std::max(uploads_->largest_piece, static_cast<int64_t>(bytes.size()));
    if (uploads_->fail_after >= 0 && uploads_->bytes > uploads_->fail_after) {
      return Fail(Code::kNoSpace, "the disk is full", "make room");
    }
    return {};
  }
  void Finish(Reply reply) override {
    finished_ = true;
    ++uploads_->finished;
    reply.Send({201, {}, std::to_string(uploads_->bytes)});
  }

 private:
  std::shared_ptr<TestServer::Uploads> uploads_;
  bool finished_ = false;
};

Handler Text(std::string text) {
  return [text = std::move(text)](const Request&, Reply reply) { reply.Send({200, {}, text}); };
}

}  // namespace

TestServer::TestServer(ServerOptions options) {
  options.token = kToken;
  AddRoutes();
  auto server = Server::Create(std::move(options), router_);
  if (!server) throw std::runtime_error(server.error().text);
  server_ = std::move(*server);
  thread_ = std::thread([this] { server_->Run(); });
}

TestServer::~TestServer() {
  if (!thread_.joinable()) return;
  Shutdown(0);
  Join();
}

void TestServer::AddRoutes() {
  router_.Add({"GET", "/hello", true, 0, Text("hello"), {}});
  router_.Add({"GET", "/secret", false, 0, Text("secret"), {}});
  const auto echo = [](const Request& request, Reply reply) {
    reply.Send({200, {{"X-Peer", request.peer}}, request.body});
  };
  router_.Add({"POST", "/echo", false, 64 << 10, echo, {}});
  const auto id = [](const Request& request, Reply reply) {
    reply.Send({request.method == "DELETE" ? 204 : 200, {}, std::string(request.Param("id"))});
  };
  router_.Add({"GET", "/jobs/{id}", false, 0, id, {}});
  router_.Add({"DELETE", "/jobs/{id}", false, 0, id, {}});
  router_.Add({"GET",
               "/later",
               false,
               0,
               [this](const Request&, Reply reply) { later_.push_back(std::move(reply)); },
               {}});
  router_.Add({"GET", "/drop", false, 0, [](const Request&, Reply) {}, {}});
  router_.Add({"GET",
               "/throw",
               false,
               0,
               [](const Request&, Reply) { throw std::runtime_error("on purpose"); },
               {}});
  const auto stream = [this](const Request&, Reply reply) {
    reply.SendStream({200, {{"Content-Type", "text/plain"}}, {}},
                     std::make_unique<TestStream>(script));
  };
  router_.Add({"GET", "/stream", false, 0, stream, {}});
  const auto upload = [this](const Request& head) -> Result<std::unique_ptr<BodySink>> {
    if (head.Param("name") == "bad")
      return Fail(Code::kConflict, "that name is taken", "use another");
    return std::make_unique<CountingSink>(uploads);
  };
  router_.Add({"PUT", "/upload/{name}", false, 64 << 20, {}, upload});
}

void TestServer::OnLoop(const std::function<void()>& fn) {
  std::promise<void> done;
  server_->loop().Post([&] {
    fn();
    done.set_value();
  });
  done.get_future().wait();
}

bool TestServer::Eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < deadline) {
    bool holds = false;
    OnLoop([&] { holds = condition(); });
    if (holds) return true;
    std::this_thread::yield();
  }
  return false;
}

void TestServer::AnswerLater() {
  EXPECT_TRUE(Eventually([this] { return !later_.empty(); }));
  OnLoop([this] {
    later_.front().Send({200, {}, "later"});
    later_.pop_front();
  });
}

void TestServer::Feed(std::string piece) {
  OnLoop([&] {
    script->pieces.push_back(std::move(piece));
    if (script->wake) script->wake();
  });
}

void TestServer::EndStream() {
  OnLoop([&] {
    script->ended = true;
    if (script->wake) script->wake();
  });
}

void TestServer::Shutdown(int64_t drain_ms) {
  server_->loop().Post([this, drain_ms] { server_->Shutdown(drain_ms); });
}

void TestServer::Join() { thread_.join(); }

}  // namespace muster::http
