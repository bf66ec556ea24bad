#include "http/client.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/scripted_server.h"
#include "http/test_server.h"
#include "os/temp_dir.h"

namespace muster::http {
namespace {

using testing::HasSubstr;

std::unique_ptr<Client> ClientFor(int port, ClientOptions options = {}) {
  options.url = "http://127.0.0.1:" + std::to_string(port);
  if (options.token.empty()) options.token = TestServer::kToken;
  return Client::Create(options).value();
}

TEST(Client, SendsAndReads) {
  TestServer server;
  const auto client = ClientFor(server.port());
  EXPECT_EQ(client->Send("GET", "/hello")->body, "hello");
  EXPECT_EQ(client->Send("POST", "/echo", "body", {{"X-Extra", "1"}})->body, "body");
  EXPECT_EQ(client->Send("DELETE", "/jobs/3")->status, 204);
  const auto head = client->Send("HEAD", "/hello");
  EXPECT_EQ(FindHeader(head->headers, "content-length"), "5");
  EXPECT_EQ(head->body, "");
  EXPECT_EQ(client->Send("GET", "/nothing")->status, 404);
}

TEST(Client, KeepsItsConnection) {
  TestServer server;
  const auto client = ClientFor(server.port());
  const auto first = client->Send("POST", "/echo");
  const auto second = client->Send("POST", "/echo");
  EXPECT_EQ(FindHeader(first->headers, "X-Peer"), FindHeader(second->headers, "X-Peer"));
}

TEST(Client, ReconnectsAfterTheServerClosedTheConnection) {
  TestServer server({.header_timeout_ms = 20});
  const auto client = ClientFor(server.port());
  EXPECT_EQ(client->Send("GET", "/hello")->status, 200);
  EXPECT_TRUE(server.Eventually([&] { return server.server().stats().connections == 0; }));
  EXPECT_EQ(client->Send("GET", "/hello")->status, 200);
}

TEST(Client, RepeatsARequestOnceIfAKeptConnectionBreaks) {
  ScriptedServer server({"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", ScriptedServer::kClose,
                         "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nb"});
  const auto client = ClientFor(server.port());
  EXPECT_EQ(client->Send("GET", "/")->body, "a");
  const auto again = client->Send("POST", "/", "body");
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(again->body, "b");
}

TEST(Client, DoesNotRepeatARequestOnANewConnection) {
  ScriptedServer server({ScriptedServer::kClose, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"});
  const auto answer = ClientFor(server.port())->Send("GET", "/");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kUnavailable);
}

TEST(Client, ErrorNamesAnUnreachableServer) {
  int port = 0;
  {
    TestServer gone;
    port = gone.port();
  }
  const auto answer = ClientFor(port)->Send("GET", "/");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kUnavailable);
  EXPECT_THAT(answer.error().text, HasSubstr("127.0.0.1:" + std::to_string(port)));
  EXPECT_FALSE(answer.error().next.empty());
}

TEST(Client, ResolvesLocalhostWithoutAHostsFile) {
  TestServer server;
  const auto client = Client::Create({.url = "http://localhost:" + std::to_string(server.port())});
  EXPECT_EQ((*client)->Send("GET", "/hello")->status, 200);
}

TEST(Client, TimesOutOnASilentServer) {
  ScriptedServer server({ScriptedServer::kSilence});
  const auto answer = ClientFor(server.port(), {.timeout_ms = 30})->Send("GET", "/");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kTimeout);
}

TEST(Client, RejectsInvalidResponses) {
  for (const char* text : {"garbage\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "SSH-2.0-OpenSSH\r\n",
                           "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    ScriptedServer server({text});
    const auto answer = ClientFor(server.port())->Send("GET", "/");
    ASSERT_FALSE(answer) << text;
    EXPECT_EQ(answer.error().code, Code::kCorrupt);
  }
}

TEST(Client, DistinguishesATruncatedResponse) {
  for (const char* text :
       {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", "HTTP/1.1 200 OK\r\nCont",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"}) {
    ScriptedServer server({text});
    const auto answer = ClientFor(server.port())->Send("GET", "/");
    ASSERT_FALSE(answer) << text;
    EXPECT_EQ(answer.error().code, Code::kUnavailable);
  }
  ScriptedServer server({"HTTP/1.0 200 OK\r\n\r\nuntil the end"});
  EXPECT_EQ(ClientFor(server.port())->Send("GET", "/")->body, "until the end");
}

TEST(Client, SkipsInterimResponses) {
  ScriptedServer server(
      {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nA: b\r\n\r\n"
       "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok"});
  const auto answer = ClientFor(server.port())->Send("POST", "/");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 201);
  EXPECT_EQ(answer->body, "ok");
}

TEST(Client, RejectsHeadersThatWouldBreakTheHead) {
  TestServer server;
  const auto client = ClientFor(server.port());
  for (const char* target : {"", "hello", "/a b", "/a\r\nX: y", "http://x/"}) {
    EXPECT_EQ(client->Send("GET", target).error().code, Code::kInvalid) << target;
  }
  EXPECT_EQ(client->Send("GET", "/hello", {}, {{"X", "a\r\nY: b"}}).error().code, Code::kInvalid);
  EXPECT_FALSE(Client::Create({.url = "http://127.0.0.1:1", .token = "a\r\nb"}));
  EXPECT_FALSE(Client::Create({.url = "127.0.0.1:1"}));
}

class ClientFile : public testing::Test {
 protected:
  os::Path Make(size_t size) {
    std::ofstream(dir_ / "file") << std::string(size, 'f');
    return dir_ / "file";
  }
  os::TempDir dir_;
  TestServer server_;
};

TEST_F(ClientFile, SendsAFileInPieces) {
  const auto client = ClientFor(server_.port());
  EXPECT_EQ(client->SendFile("PUT", "/upload/a", Make(20 << 20))->body, std::to_string(20 << 20));
  EXPECT_EQ(client->Send("GET", "/hello")->status, 200);
}

TEST_F(ClientFile, SendsAnEmptyFile) {
  EXPECT_EQ(ClientFor(server_.port())->SendFile("PUT", "/upload/a", Make(0))->body, "0");
}

TEST_F(ClientFile, SeesARefusalBeforeTheWholeFileIsSent) {
  const auto client = ClientFor(server_.port());
  const auto refused = client->SendFile("PUT", "/upload/bad", Make(50 << 20));
  ASSERT_TRUE(refused) << refused.error().text;
  EXPECT_EQ(refused->status, 409);
  EXPECT_EQ(client->SendFile("PUT", "/upload/a", Make(70 << 20))->status, 413);
  EXPECT_EQ(client->Send("GET", "/hello")->status, 200);
}

TEST_F(ClientFile, ErrorNamesAFileThatCannotBeSent) {
  const auto client = ClientFor(server_.port());
  EXPECT_EQ(client->SendFile("PUT", "/upload/a", dir_ / "none").error().code, Code::kNotFound);
  EXPECT_EQ(client->SendFile("PUT", "/upload/a", dir_.path()).error().code, Code::kInvalid);
  ASSERT_EQ(::mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(client->SendFile("PUT", "/upload/a", dir_ / "pipe").error().code, Code::kInvalid);
}

class ClientStream : public testing::Test {
 protected:
  TestServer server_;
  std::unique_ptr<Client> client_ = ClientFor(server_.port());
  std::string taken_;
  const std::function<bool(std::string_view)> take_ = [this](std::string_view bytes) {
    taken_ += bytes;
    return true;
  };
};

TEST_F(ClientStream, PassesBytesUntilTheEnd) {
  server_.OnLoop([&] {
    server_.script->pieces = {"id: 1\ndata: a\n\n", "data: b\n", "\n"};
    server_.script->ended = true;
  });
  SseParser parser;
  std::vector<std::string> events;
  const auto answer = client_->Read(
      "/stream", {{"Accept", "text/event-stream"}},
      [&](std::string_view bytes) {
        parser.Feed(bytes, [&](const SseEvent& event) { events.push_back(event.id + event.data); });
        return true;
      },
      1000, [] { return true; });
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "");
  EXPECT_THAT(events, testing::ElementsAre("1a", "1b"));
  EXPECT_EQ(client_->Send("GET", "/hello")->status, 200);
}

TEST_F(ClientStream, CallsIdleWhileNoBytesArrive) {
  int calls = 0;
  const auto answer = client_->Read("/stream", {}, take_, 5, [&] {
    if (++calls == 3) server_.Feed("late");
    if (calls == 4) server_.EndStream();
    return true;
  });
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_GE(calls, 4);
  EXPECT_EQ(taken_, "late");
}

TEST_F(ClientStream, EndsWhenIdleOrTakeReturnFalse) {
  ASSERT_TRUE(client_->Read("/stream", {}, take_, 5, [] { return false; }));
  EXPECT_TRUE(server_.Eventually([&] { return server_.script->streams == 0; }));
  server_.OnLoop([&] { server_.script->endless = 1000; });
  ASSERT_TRUE(
      client_->Read("/stream", {}, [](std::string_view) { return false; }, 5, [] { return true; }));
  EXPECT_TRUE(server_.Eventually([&] { return server_.script->streams == 0; }));
  EXPECT_EQ(client_->Send("GET", "/hello")->status, 200);
}

TEST_F(ClientStream, ReturnsTheBodyOfARefusal) {
  const auto answer = client_->Read("/nothing", {}, take_, 5, [] { return true; });
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 404);
  EXPECT_THAT(answer->body, HasSubstr("not_found"));
  EXPECT_EQ(taken_, "");
}

TEST_F(ClientStream, TimesOutOnASilentServer) {
  client_ = ClientFor(server_.port(), {.timeout_ms = 30});
  const auto answer = client_->Read("/stream", {}, take_, 10, [] { return true; });
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kTimeout);
}

TEST_F(ClientStream, ReadsALargeBody) {
  server_.OnLoop([&] {
    for (int i = 0; i < 200; ++i) server_.script->pieces.push_back(std::string(64 << 10, 'x'));
    server_.script->ended = true;
  });
  ASSERT_TRUE(client_->Read("/stream", {}, take_, 1000, [] { return true; }));
  EXPECT_EQ(taken_.size(), size_t{200} * (64 << 10));
}

TEST(Client, SendsARangeOfAFileAndReportsProgress) {
  TestServer server;
  const auto client = ClientFor(server.port());
  const os::TempDir dir;
  std::ofstream(dir / "f") << "0123456789";
  const os::Fd fd = os::Open(dir / "f", O_RDONLY).value();
  int64_t told = 0;
  Call call;
  call.method = "POST";
  call.target = "/echo";
  call.file = FileRange{fd.get(), 3, 4, "f"};
  call.sent = [&](int64_t bytes) { return (told += bytes) > 0; };
  const auto answer = client->Do(call);
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_EQ(answer->body, "3456");
  EXPECT_EQ(told, 4);
  call.file = FileRange{fd.get(), 8, 4, "f"};
  EXPECT_EQ(client->Do(call).error().code, Code::kConflict);  // shorter than the declared length
  call.file = FileRange{fd.get(), 0, 0, "f"};
  EXPECT_EQ(client->Do(call)->body, "");
}

TEST(Client, PassesTheBodyOfSuccessAndKeepsTheBodyOfAnError) {
  ScriptedServer server({"HTTP/1.1 206 Partial Content\r\nContent-Length: 3\r\n\r\nabc",
                         "HTTP/1.1 416 No\r\nContent-Length: 2\r\n\r\nno"});
  const auto client = ClientFor(server.port());
  std::string taken;
  Call call;
  call.target = "/";
  int begun = 0;
  call.begin = [&](const Response& head) {
    ++begun;
    EXPECT_EQ(head.status, 206);
    EXPECT_EQ(taken, "");
  };
  call.take = [&](std::string_view piece) { return !taken.append(piece).empty(); };
  const auto part = client->Do(call);
  EXPECT_EQ(part->body, "");
  EXPECT_EQ(taken, "abc");
  EXPECT_EQ(client->Do(call)->body, "no");
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(taken, "abc");
}

TEST(Client, PassesWholePieces) {
  std::string body;
  while (body.size() < 700'001) body += std::to_string(body.size());
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: ";
  ScriptedServer server({head + std::to_string(body.size()) + "\r\n\r\n" + body,
                         head + "3\r\n\r\nabc", head + "0\r\n\r\n"});
  const auto client = ClientFor(server.port(), {.gather_ms = 60'000});
  std::vector<std::string> taken;
  Call call;
  call.target = "/";
  call.take = [&](std::string_view piece) { return !taken.emplace_back(piece).empty(); };
  ASSERT_TRUE(client->Do(call));
  ASSERT_EQ(taken.size(), 3u);
  EXPECT_EQ(taken[0].size(), size_t{256} << 10);
  EXPECT_EQ(taken[1].size(), size_t{256} << 10);
  EXPECT_TRUE(taken[0] + taken[1] + taken[2] == body);
  ASSERT_TRUE(client->Do(call));
  EXPECT_EQ(taken.back(), "abc");
  ASSERT_TRUE(client->Do(call));
  EXPECT_EQ(taken.size(), 4u);
}

TEST(Client, PassesSlowBytesWithoutDelay) {
  ScriptedServer server({"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"});
  std::string taken;
  Call call;
  call.target = "/";
  call.take = [&](std::string_view piece) { return !taken.append(piece).empty(); };
  EXPECT_FALSE(ClientFor(server.port(), {.gather_ms = 0})->Do(call));
  EXPECT_EQ(taken, "abc");
}

}  // namespace
}  // namespace muster::http
