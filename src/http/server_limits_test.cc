#include <sys/socket.h>

#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/test_server.h"

namespace muster::http {
namespace {

using testing::HasSubstr;

const std::string kAuth = TestServer::kAuth;

TEST(ServerLimits, LargeBodyIsRefusedBeforeItIsRead) {
  TestServer server;
  RawSocket socket = server.Connect();
  const Response answer =
      socket.Ask("POST /echo HTTP/1.1\r\n" + kAuth + "Content-Length: 9000000000000\r\n\r\n");
  EXPECT_EQ(answer.status, 413);
  EXPECT_THAT(answer.body, HasSubstr("65536"));
  EXPECT_TRUE(socket.AtEnd());
}

TEST(ServerLimits, RefusalArrivesWhileTheClientIsSending) {
  TestServer server;
  RawSocket socket = server.Connect();
  ASSERT_TRUE(socket.Send("POST /echo HTTP/1.1\r\n" + kAuth + "Content-Length: 4000000\r\n\r\n"));
  ASSERT_TRUE(socket.Send(std::string(4'000'000, 'x')));
  EXPECT_EQ(socket.ReadAnswer().status, 413);
}

TEST(ServerLimits, BodyOfExactlyTheLimitIsAccepted) {
  TestServer server;
  const std::string body(64 << 10, 'x');
  EXPECT_EQ(
      server.Ask("POST /echo HTTP/1.1\r\n" + kAuth + "Content-Length: 65536\r\n\r\n" + body).body,
      body);
  EXPECT_EQ(server.Ask("POST /echo HTTP/1.1\r\n" + kAuth + "Content-Length: 65537\r\n\r\n").status,
            413);
}

TEST(ServerLimits, ChunksBeyondTheLimitAreRefused) {
  TestServer server;
  RawSocket socket = server.Connect();
  std::string request = "POST /echo HTTP/1.1\r\n" + kAuth + "Transfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 17; ++i) request += "1000\r\n" + std::string(4096, 'x') + "\r\n";
  EXPECT_EQ(socket.Ask(request).status, 413);
  EXPECT_TRUE(socket.AtEnd());
}

TEST(ServerLimits, BodyIsRefusedWhereNoneIsAllowed) {
  TestServer server;
  EXPECT_EQ(server.Ask("GET /hello HTTP/1.1\r\n" + kAuth + "Content-Length: 1\r\n\r\nx").status,
            413);
  EXPECT_EQ(server.Ask("GET /hello HTTP/1.1\r\n" + kAuth + "Content-Length: 0\r\n\r\n").status,
            200);
  const std::string chunked =
      "GET /hello HTTP/1.1\r\n" + kAuth + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(server.Ask(chunked + "1\r\nx\r\n0\r\n\r\n").status, 413);
  EXPECT_EQ(server.Ask(chunked + "0\r\n\r\n").status, 200);
}

TEST(ServerLimits, LargeHeadIsRefused) {
  TestServer server({.max_header = 2000});
  RawSocket socket = server.Connect();
  EXPECT_EQ(socket
                .Ask("GET /hello HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(3000, 'x') +
                     "\r\n\r\n")
                .status,
            431);
  EXPECT_TRUE(socket.AtEnd());
  EXPECT_EQ(server
                .Ask("GET /hello HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(1500, 'x') +
                     "\r\n\r\n")
                .status,
            200);
}

TEST(ServerLimits, SlowHeadTimesOut) {
  TestServer server({.header_timeout_ms = 50});
  RawSocket socket = server.Connect();
  ASSERT_TRUE(socket.Send("GET /hello HTTP/1.1\r\nHost: loc"));
  const Response answer = socket.ReadAnswer();
  EXPECT_EQ(answer.status, 408);
  EXPECT_EQ(FindHeader(answer.headers, "Connection"), "close");
  EXPECT_TRUE(socket.AtEnd());
}

TEST(ServerLimits, SlowBytesOfAHeadDoNotExtendTheTimeout) {
  TestServer server({.header_timeout_ms = 100});
  RawSocket socket = server.Connect();
  // Each byte arrives well before the limit, all of them together long after it.
  std::string answer;
  for (int i = 0; i < 10'000 && socket.Send("X"); ++i) {
    server.OnLoop([] {});
    char byte = 0;
    if (::recv(socket.fd(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) > 0) break;
  }
  EXPECT_EQ(socket.ReadAnswer().status, 408);
}

TEST(ServerLimits, SlowBodyTimesOut) {
  TestServer server({.body_timeout_ms = 50});
  RawSocket socket = server.Connect();
  EXPECT_EQ(socket.Ask("POST /echo HTTP/1.1\r\n" + kAuth + "Content-Length: 4\r\n\r\nab").status,
            408);
  EXPECT_TRUE(socket.AtEnd());
}

// Slow bytes of a large body are seen although a read waits for more of them.
TEST(ServerLimits, SlowBytesOfALargeBodyExtendTheTimeout) {
  TestServer server({.body_timeout_ms = 1500});
  RawSocket socket = server.Connect();
  constexpr int kDrops = 8;
  ASSERT_TRUE(
      socket.Send("PUT /upload/a HTTP/1.1\r\n" + kAuth + "Content-Length: 1000000\r\n\r\n"));
  for (int i = 0; i < kDrops; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    ASSERT_TRUE(socket.Send("x"));
  }
  ASSERT_TRUE(socket.Send(std::string(1'000'000 - kDrops, 'x')));
  EXPECT_EQ(socket.ReadAnswer().body, "1000000");
}

TEST(ServerLimits, IdleConnectionsAreClosedWithoutAResponse) {
  TestServer server({.header_timeout_ms = 50});
  RawSocket fresh = server.Connect();
  EXPECT_TRUE(fresh.AtEnd());
  RawSocket used = server.Connect();
  EXPECT_EQ(used.Ask("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
  EXPECT_TRUE(used.AtEnd());
}

TEST(ServerLimits, ClientsThatDoNotReadTimeOut) {
  TestServer server({.write_timeout_ms = 50});
  server.OnLoop([&] { server.script->endless = 1 << 20; });
  RawSocket socket = server.Connect();
  ASSERT_TRUE(socket.Send("GET /stream HTTP/1.1\r\n" + kAuth + "\r\n"));
  EXPECT_TRUE(server.Eventually([&] { return server.script->streams == 1; }));
  EXPECT_TRUE(server.Eventually([&] { return server.script->streams == 0; }));
  EXPECT_TRUE(server.Eventually([&] { return server.server().stats().connections == 0; }));
}

TEST(ServerLimits, ConnectionsAboveTheLimitReceive503) {
  TestServer server({.max_connections = 2});
  const std::string secret = "GET /secret HTTP/1.1\r\n" + kAuth + "\r\n";
  RawSocket first = server.Connect();
  RawSocket second = server.Connect();
  EXPECT_EQ(first.Ask(secret).status, 200);
  EXPECT_EQ(second.Ask(secret).status, 200);
  RawSocket third = server.Connect();
  const Response refused = third.Ask(secret);
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, HasSubstr("\"code\":\"unavailable\""));
  EXPECT_TRUE(third.AtEnd());
  first.Close();
  EXPECT_TRUE(server.Eventually([&] { return server.server().stats().connections == 1; }));
  EXPECT_EQ(server.Connect().Ask(secret).status, 200);
}

TEST(ServerLimits, IdleConnectionsWithoutATokenDoNotKeepAuthorisedClientsOut) {
  TestServer server({.max_connections = 4,
                     .max_unauthorised_per_peer = 4,
                     .unauthorised_timeout_ms = 60'000,
                     .unauthorised_grace_ms = 0});
  const std::string secret = "GET /secret HTTP/1.1\r\n" + kAuth + "\r\n";
  std::vector<RawSocket> idle;
  for (int i = 0; i < 4; ++i) idle.push_back(server.Connect());
  EXPECT_TRUE(server.Eventually([&] { return server.server().stats().connections == 4; }));
  RawSocket client = server.Connect();
  EXPECT_EQ(client.Ask(secret).status, 200);
  EXPECT_TRUE(idle[0].AtEnd());
  // An authorised connection keeps its place, however many others are opened.
  for (int i = 0; i < 20; ++i) idle.push_back(server.Connect());
  EXPECT_EQ(client.Ask(secret).status, 200);
}

TEST(ServerLimits, ConnectionsOfOnePeerWithoutATokenAreLimited) {
  TestServer server({.max_unauthorised_per_peer = 3, .unauthorised_grace_ms = 0});
  std::vector<RawSocket> idle;
  for (int i = 0; i < 5; ++i) idle.push_back(server.Connect());
  EXPECT_TRUE(idle[0].AtEnd());
  EXPECT_TRUE(idle[1].AtEnd());
  EXPECT_TRUE(server.Eventually([&] { return server.server().stats().connections == 3; }));
  const std::string hello = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";
  EXPECT_EQ(idle[4].Ask(hello).status, 200);
}

TEST(ServerLimits, YoungConnectionsAreKeptAboveTheLimit) {
  TestServer server({.max_unauthorised_per_peer = 1, .unauthorised_grace_ms = 60'000});
  std::vector<RawSocket> young;
  for (int i = 0; i < 10; ++i) young.push_back(server.Connect());
  const std::string secret = "GET /secret HTTP/1.1\r\n" + kAuth + "\r\n";
  for (RawSocket& socket : young) EXPECT_EQ(socket.Ask(secret).status, 200);
}

TEST(ServerLimits, TimeBeforeTheFirstAuthorisedRequestIsShort) {
  TestServer server({.unauthorised_timeout_ms = 50, .header_timeout_ms = 60'000});
  RawSocket authorised = server.Connect();
  EXPECT_EQ(authorised.Ask("GET /secret HTTP/1.1\r\n" + kAuth + "\r\n").status, 200);
  RawSocket silent = server.Connect();
  EXPECT_TRUE(silent.AtEnd());
  RawSocket refused = server.Connect();
  EXPECT_EQ(refused.Ask("GET /secret HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 401);
  EXPECT_TRUE(refused.AtEnd());
  RawSocket slow = server.Connect();
  ASSERT_TRUE(slow.Send("GET /hello HTTP/1.1\r\nHost: loc"));
  EXPECT_EQ(slow.ReadAnswer().status, 408);
  EXPECT_EQ(authorised.Ask("GET /secret HTTP/1.1\r\n" + kAuth + "\r\n").status, 200);
}

TEST(ServerLimits, SurvivesManyConnectionsAboveTheLimit) {
  TestServer server({.max_connections = 2});
  std::vector<RawSocket> sockets;
  for (int i = 0; i < 200; ++i) sockets.push_back(server.Connect());
  sockets.clear();
  EXPECT_TRUE(server.Eventually([&] { return server.server().stats().connections == 0; }));
  EXPECT_EQ(server.Ask("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
}

TEST(ServerUpload, SinkReceivesTheBodyInPieces) {
  TestServer server;
  RawSocket socket = server.Connect();
  const std::string megabyte(1 << 20, 'x');
  ASSERT_TRUE(
      socket.Send("PUT /upload/a HTTP/1.1\r\n" + kAuth + "Content-Length: 33554432\r\n\r\n"));
  for (int i = 0; i < 32; ++i) ASSERT_TRUE(socket.Send(megabyte));
  const Response answer = socket.ReadAnswer();
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.body, "33554432");
  server.OnLoop([&] { EXPECT_LE(server.uploads->largest_piece, 64 << 10); });
  EXPECT_EQ(socket.Ask("GET /hello HTTP/1.1\r\n" + kAuth + "\r\n").status, 200);
}

TEST(ServerUpload, OtherRequestsAreServedDuringAnUpload) {
  TestServer server;
  RawSocket upload = server.Connect();
  ASSERT_TRUE(upload.Send("PUT /upload/a HTTP/1.1\r\n" + kAuth +
                          "Transfer-Encoding: chunked\r\n\r\n5\r\nhello"));
  EXPECT_EQ(server.Ask("GET /hello HTTP/1.1\r\n" + kAuth + "\r\n").status, 200);
  EXPECT_EQ(upload.Ask("\r\n0\r\n\r\n").body, "5");
}

TEST(ServerUpload, ErrorOfTheHandlerIsTheResponse) {
  TestServer server;
  RawSocket socket = server.Connect();
  EXPECT_EQ(
      socket.Ask("PUT /upload/bad HTTP/1.1\r\n" + kAuth + "Content-Length: 1000000\r\n\r\n").status,
      409);
  EXPECT_TRUE(socket.AtEnd());
}

TEST(ServerUpload, ErrorOfTheSinkEndsTheUpload) {
  TestServer server;
  server.OnLoop([&] { server.uploads->fail_after = 1000; });
  RawSocket socket = server.Connect();
  ASSERT_TRUE(socket.Send("PUT /upload/a HTTP/1.1\r\n" + kAuth + "Content-Length: 1000000\r\n\r\n" +
                          std::string(100'000, 'x')));
  const Response answer = socket.ReadAnswer();
  EXPECT_EQ(answer.status, 507);
  EXPECT_THAT(answer.body, HasSubstr("the disk is full"));
  EXPECT_TRUE(server.Eventually([&] { return server.uploads->dropped == 1; }));
}

TEST(ServerUpload, BrokenUploadDestroysTheSinkUnfinished) {
  TestServer server;
  RawSocket socket = server.Connect();
  ASSERT_TRUE(socket.Send("PUT /upload/a HTTP/1.1\r\n" + kAuth + "Content-Length: 100\r\n\r\nabc"));
  EXPECT_TRUE(server.Eventually([&] { return server.uploads->bytes == 3; }));
  socket.Reset();
  EXPECT_TRUE(server.Eventually([&] { return server.uploads->dropped == 1; }));
  server.OnLoop([&] { EXPECT_EQ(server.uploads->finished, 0); });
}

}  // namespace
}  // namespace muster::http
