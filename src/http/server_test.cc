#include "http/server.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fcntl.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/test_server.h"

namespace muster::http {
namespace {

using testing::HasSubstr;

const std::string kAuth = TestServer::kAuth;

std::string Get(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\n" + kAuth + "\r\n";
}
std::string Post(const std::string& path, const std::string& body) {
  return "POST " + path + " HTTP/1.1\r\n" + kAuth +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST(Server, RespondsWithTheDefaultHeaders) {
  TestServer server;
  const Response answer = server.Ask("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "hello");
  EXPECT_EQ(FindHeader(answer.headers, "Server"), "muster");
  EXPECT_EQ(FindHeader(answer.headers, "X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(FindHeader(answer.headers, "Cache-Control"), "no-store");
  EXPECT_EQ(FindHeader(answer.headers, "Content-Length"), "5");
  EXPECT_THAT(FindHeader(answer.headers, "Date"), testing::EndsWith(" GMT"));
}

TEST(Server, KeepsTheConnection) {
  TestServer server;
  RawSocket socket = server.Connect();
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(socket.Ask(Post("/echo", std::to_string(i))).body, std::to_string(i));
  EXPECT_EQ(server.server().url(), "http://127.0.0.1:" + std::to_string(server.port()));
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
  TestServer server;
  RawSocket socket = server.Connect();
  std::string all;
  for (int i = 0; i < 50; ++i)
    all += i % 2 ? Get("/jobs/" + std::to_string(i)) : Post("/echo", std::to_string(i));
  all += Get("/later") + Get("/jobs/last");
  ASSERT_TRUE(socket.Send(all));
  for (int i = 0; i < 50; ++i) ASSERT_EQ(socket.ReadAnswer().body, std::to_string(i));
  server.AnswerLater();
  EXPECT_EQ(socket.ReadAnswer().body, "later");
  EXPECT_EQ(socket.ReadAnswer().body, "last");
}

TEST(Server, AcceptsARequestByteByByte) {
  TestServer server;
  RawSocket socket = server.Connect();
  for (const char c : "\r\n" + Post("/echo", "body")) ASSERT_TRUE(socket.Send(std::string(1, c)));
  EXPECT_EQ(socket.ReadAnswer().body, "body");
}

TEST(Server, ClosesOnRequest) {
  TestServer server;
  RawSocket socket = server.Connect();
  const Response answer =
      socket.Ask("GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(FindHeader(answer.headers, "Connection"), "close");
  EXPECT_TRUE(socket.AtEnd());
}

TEST(Server, SupportsHttp10) {
  TestServer server;
  RawSocket socket = server.Connect();
  EXPECT_EQ(socket.Ask("GET /hello HTTP/1.0\r\n\r\n").body, "hello");
  EXPECT_TRUE(socket.AtEnd());
  RawSocket kept = server.Connect();
  const std::string keep = "GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
  EXPECT_EQ(kept.Ask(keep).body, "hello");
  EXPECT_EQ(kept.Ask(keep).body, "hello");
}

TEST(Server, HeadHasTheHeadersOfGetAndNoBody) {
  TestServer server;
  RawSocket socket = server.Connect();
  ASSERT_TRUE(socket.Send("HEAD /hello HTTP/1.1\r\nHost: localhost\r\n\r\n" + Get("/secret")));
  const Response head = socket.ReadAnswer(true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(FindHeader(head.headers, "Content-Length"), "5");
  EXPECT_EQ(socket.ReadAnswer().body, "secret");
}

TEST(Server, Status204HasNeitherBodyNorLength) {
  TestServer server;
  RawSocket socket = server.Connect();
  const Response answer = socket.Ask("DELETE /jobs/3 HTTP/1.1\r\n" + kAuth + "\r\n");
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(FindHeader(answer.headers, "Content-Length"), "");
  EXPECT_EQ(socket.Ask(Get("/hello")).body, "hello");
}

TEST(Server, RespondsAfterTheClientClosedItsSide) {
  TestServer server;
  RawSocket socket = server.Connect();
  ASSERT_TRUE(socket.Send(Get("/later")));
  socket.EndWrites();
  server.AnswerLater();
  EXPECT_EQ(socket.ReadAnswer().body, "later");
}

TEST(Server, AcceptsChunkedBodies) {
  TestServer server;
  RawSocket socket = server.Connect();
  const std::string head = "POST /echo HTTP/1.1\r\n" + kAuth + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(socket.Ask(head + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: x\r\n\r\n").body, "abcde");
  EXPECT_EQ(socket.Ask(head + "0\r\n\r\n").status, 200);
  EXPECT_EQ(socket.Ask(Get("/hello")).body, "hello");
}

TEST(Server, SendsContinueForAWaitingBody) {
  TestServer server;
  RawSocket socket = server.Connect();
  ASSERT_TRUE(socket.Send("POST /echo HTTP/1.1\r\n" + kAuth +
                          "Content-Length: 4\r\nExpect: 100-continue\r\n\r\n"));
  EXPECT_EQ(socket.ReadAnswer().status, 100);
  EXPECT_EQ(socket.Ask("body").body, "body");
}

// botocore expects 100 for an empty body as well, and takes another status line for the response to
// its next request.
TEST(Server, SendsContinueForAnEmptyWaitingBody) {
  TestServer server;
  RawSocket socket = server.Connect();
  const std::string head =
      "POST /echo HTTP/1.1\r\n" + kAuth + "Content-Length: 0\r\nExpect: 100-continue\r\n\r\n";
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(socket.Ask(head).status, 100);
    EXPECT_EQ(socket.ReadAnswer().status, 200);
  }
}

TEST(Server, RefusalInsteadOfContinueClosesTheConnection) {
  TestServer server;
  RawSocket socket = server.Connect();
  const Response answer = socket.Ask(
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nExpect: "
      "100-continue\r\n\r\n");
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(FindHeader(answer.headers, "Connection"), "close");
  EXPECT_TRUE(socket.AtEnd());
}

TEST(Server, SendsNoContinueForABodyThatItRefuses) {
  TestServer server;
  RawSocket socket = server.Connect();
  const Response answer = socket.Ask(
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nExpect: "
      "100-continue\r\n\r\n");
  EXPECT_EQ(answer.status, 401);
  EXPECT_TRUE(socket.AtEnd());
}

TEST(Server, ChecksTheTokenBeforeTheBody) {
  TestServer server;
  const Response missing =
      server.Ask("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n");
  EXPECT_EQ(missing.status, 401);
  EXPECT_EQ(FindHeader(missing.headers, "WWW-Authenticate"), "Bearer");
  EXPECT_THAT(missing.body, HasSubstr("\"next\":\"send 'Authorization: Bearer TOKEN'"));
  const Response wrong =
      server.Ask("GET /secret HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer s3creT\r\n\r\n");
  EXPECT_EQ(wrong.status, 401);
}

TEST(Server, RefusalWithoutBodyKeepsTheConnection) {
  TestServer server;
  RawSocket socket = server.Connect();
  EXPECT_EQ(socket.Ask(Get("/nothing")).status, 404);
  EXPECT_EQ(socket.Ask("GET /secret HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 401);
  EXPECT_EQ(socket.Ask(Get("/secret")).status, 200);
}

TEST(Server, UnknownPathSuggestsARoute) {
  TestServer server;
  const Response answer = server.Ask(Get("/job/17"));
  EXPECT_EQ(answer.status, 404);
  EXPECT_THAT(answer.body, HasSubstr("did you mean /jobs/17?"));
  const Response method = server.Ask("PUT /jobs/17 HTTP/1.1\r\n" + kAuth + "\r\n");
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(FindHeader(method.headers, "Allow"), "DELETE, GET, HEAD");
}

TEST(Server, PathsWithDotDotAreRefused) {
  TestServer server;
  for (const char* path : {"/../etc/passwd", "/jobs/..", "/jobs/%2e%2e/x", "//hello", "/jobs/%00",
                           "/jobs/%0d%0aX:y", "/jobs/%ff", "/jobs/%zz", "/jobs/\x80", "*"}) {
    EXPECT_EQ(server.Ask(Get(path)).status, 400) << path;
  }
}

TEST(Server, ForeignHostNamesAreRefused) {
  TestServer server;
  EXPECT_EQ(server.Ask("GET /hello HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 421);
  EXPECT_EQ(server.Ask("GET http://evil.example/hello HTTP/1.1\r\nHost: localhost\r\n\r\n").status,
            421);
  EXPECT_EQ(server.Ask("GET http://localhost/hello HTTP/1.1\r\nHost: evil.example\r\n\r\n").status,
            200);
  EXPECT_EQ(server.Ask("GET /hello HTTP/1.1\r\n\r\n").status, 400);
}

TEST(Server, GarbageIsRefusedAndTheConnectionClosed) {
  TestServer server;
  for (const std::string& garbage :
       {std::string("\x16\x03\x01\x02\x00\x01\x00\x01", 8), std::string("GET\r\n\r\n"),
        std::string("GET / HTTP/9.9\r\n\r\n"), std::string(100, '\0'), std::string("\r\r\r\r"),
        std::string("GET / HTTP/1.1\r\nBad Header: x\r\n\r\n"),
        "POST /echo HTTP/1.1\r\n" + kAuth +
            "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\n" + kAuth + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "POST /echo HTTP/1.1\r\n" + kAuth + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    RawSocket socket = server.Connect();
    EXPECT_EQ(socket.Ask(garbage).status, 400) << garbage;
    EXPECT_TRUE(socket.AtEnd());
  }
}

TEST(Server, FailingHandlersSend500) {
  TestServer server;
  RawSocket socket = server.Connect();
  EXPECT_EQ(socket.Ask(Get("/drop")).status, 500);
  EXPECT_EQ(socket.Ask(Get("/throw")).status, 500);
  EXPECT_EQ(socket.Ask(Get("/hello")).status, 200);
}

TEST(Server, ReplyToADisconnectedClientIsIgnored) {
  TestServer server;
  {
    RawSocket socket = server.Connect();
    ASSERT_TRUE(socket.Send(Get("/later")));
    EXPECT_TRUE(server.Eventually([&] { return server.server().stats().requests == 1; }));
    socket.Reset();
  }
  server.AnswerLater();
  EXPECT_TRUE(server.Eventually([&] { return server.server().stats().connections == 0; }));
  EXPECT_EQ(server.Ask(Get("/hello")).status, 200);
}

TEST(Server, ServesManyConnectionsConcurrently) {
  TestServer server;
  std::vector<RawSocket> sockets;
  for (int i = 0; i < 300; ++i) sockets.push_back(server.Connect());
  for (int round = 0; round < 3; ++round) {
    for (RawSocket& socket : sockets)
      ASSERT_TRUE(socket.Send(Post("/echo", std::string(5000, 'x'))));
    for (RawSocket& socket : sockets) ASSERT_EQ(socket.ReadAnswer().body.size(), 5000u);
  }
  EXPECT_TRUE(server.Eventually([&] { return server.server().stats().connections == 300; }));
  sockets.clear();
  EXPECT_TRUE(server.Eventually([&] { return server.server().stats().connections == 0; }));
  server.OnLoop([&] { EXPECT_EQ(server.server().stats().requests, 900); });
}

#if !__has_feature(address_sanitizer)  // address sanitizer needs a descriptor itself
TEST(Server, AcceptsAgainAfterDescriptorsRanOut) {
  TestServer server;
  ASSERT_EQ(server.Ask(Get("/hello")).status, 200);
  EXPECT_TRUE(server.Eventually([&] { return server.server().stats().connections == 0; }));
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  os::Fd probe(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int lowest = probe.get();  // every lower descriptor is in use
  probe.Reset();
  const rlimit none = {static_cast<rlim_t>(lowest + 1), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  // Uses the last descriptor; the server has none left to accept the connection.
  RawSocket socket = server.Connect();
  EXPECT_TRUE(socket.Send(Get("/hello")));
  server.OnLoop([] {});
  server.OnLoop([] {});
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(socket.ReadAnswer().body, "hello");
}
#endif

TEST(ServerCreate, RefusesToListenBeyondLoopbackWithoutTls) {
  const Router router;
  for (const char* host : {"0.0.0.0", "::", "192.0.2.1"}) {
    const auto server = Server::Create({.host = host, .token = "t"}, router);
    ASSERT_FALSE(server) << host;
    EXPECT_EQ(server.error().code, Code::kDenied);
    EXPECT_THAT(server.error().next, HasSubstr("TLS certificate"));
  }
}

TEST(ServerCreate, ErrorNamesThePortInUse) {
  TestServer first;
  const Router router;
  const auto second = Server::Create({.port = first.port(), .token = "t"}, router);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::kExists);
  EXPECT_THAT(second.error().text, HasSubstr("127.0.0.1:" + std::to_string(first.port())));
  EXPECT_FALSE(second.error().next.empty());
}

TEST(ServerCreate, RefusesInvalidHostsAndPorts) {
  const Router router;
  EXPECT_FALSE(Server::Create({.host = "", .token = "t"}, router));
  EXPECT_FALSE(Server::Create({.host = "no such host", .token = "t"}, router));
  EXPECT_FALSE(Server::Create({.port = 65536, .token = "t"}, router));
  EXPECT_FALSE(Server::Create({.port = -1, .token = "t"}, router));
}

TEST(ServerCreate, AcceptsLoopbackByNameAndIpv6) {
  const Router router;
  EXPECT_TRUE(Server::Create({.host = "localhost", .token = "t"}, router));
  const auto v6 = Server::Create({.host = "[::1]", .token = "t"}, router);
  if (v6) EXPECT_THAT((*v6)->url(), testing::StartsWith("http://[::1]:"));  // where there is IPv6
}

TEST(ServerCreate, CanBeDestroyedBeforeRun) {
  const Router router;
  auto server = Server::Create({.token = "t"}, router);
  ASSERT_TRUE(server);
  RawSocket waiting((*server)->port());
  EXPECT_TRUE(waiting.connected());
}

}  // namespace
}  // namespace muster::http
