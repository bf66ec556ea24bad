#include <malloc.h>

#include <cstdio>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "http/test_server.h"

namespace muster::http {
namespace {

const std::string kAsk = std::string("GET /stream HTTP/1.1\r\n") + TestServer::kAuth + "\r\n";

class ServerStream : public testing::Test {
 protected:
  bool Streams(int count) {
    return server_.Eventually([&] {
      return server_.script->streams == count && server_.server().stats().streams == count;
    });
  }

  TestServer server_;
};

TEST_F(ServerStream, PiecesAreSentImmediately) {
  RawSocket socket = server_.Connect();
  ASSERT_TRUE(socket.Send(kAsk));
  EXPECT_THAT(socket.ReadUntil("\r\n\r\n"), testing::HasSubstr("Transfer-Encoding: chunked"));
  server_.Feed("hello");
  EXPECT_EQ(socket.ReadBytes(10), "5\r\nhello\r\n");
  server_.Feed("again and again");
  EXPECT_EQ(socket.ReadBytes(20), "f\r\nagain and again\r\n");
  server_.EndStream();
  EXPECT_EQ(socket.ReadBytes(5), "0\r\n\r\n");
  EXPECT_TRUE(Streams(0));
}

TEST_F(ServerStream, ConnectionIsKeptAfterTheStream) {
  server_.OnLoop([&] {
    server_.script->pieces = {"a", std::string(300'000, 'b'), "c"};
    server_.script->ended = true;
  });
  RawSocket socket = server_.Connect();
  EXPECT_EQ(socket.Ask(kAsk).body, "a" + std::string(300'000, 'b') + "c");
  EXPECT_EQ(socket.Ask(kAsk).body, "");
}

TEST_F(ServerStream, RequestsSentDuringAStreamAreAnsweredAfterIt) {
  RawSocket socket = server_.Connect();
  ASSERT_TRUE(socket.Send(kAsk));
  ASSERT_TRUE(Streams(1));
  ASSERT_TRUE(socket.Send("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  server_.Feed("x");
  server_.EndStream();
  EXPECT_EQ(socket.ReadAnswer().body, "x");
  EXPECT_EQ(socket.ReadAnswer().body, "hello");
}

TEST_F(ServerStream, TooManyBytesDuringAStreamEndIt) {
  RawSocket socket = server_.Connect();
  ASSERT_TRUE(socket.Send(kAsk));
  ASSERT_TRUE(Streams(1));
  socket.Send(std::string(1 << 20, 'x'));
  EXPECT_TRUE(Streams(0));
}

TEST_F(ServerStream, Http10ReceivesTheStreamUntilTheConnectionCloses) {
  server_.OnLoop([&] {
    server_.script->pieces = {"abc", "def"};
    server_.script->ended = true;
  });
  RawSocket socket = server_.Connect();
  ASSERT_TRUE(socket.Send(std::string("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n") +
                          TestServer::kAuth + "\r\n"));
  const std::string head = socket.ReadUntil("\r\n\r\n");
  EXPECT_THAT(head, testing::Not(testing::HasSubstr("chunked")));
  EXPECT_THAT(head, testing::HasSubstr("Connection: close"));
  EXPECT_EQ(socket.ReadBytes(6), "abcdef");
  EXPECT_TRUE(socket.AtEnd());
}

TEST_F(ServerStream, HeadCreatesNoStream) {
  RawSocket socket = server_.Connect();
  ASSERT_TRUE(socket.Send(std::string("HEAD /stream HTTP/1.1\r\n") + TestServer::kAuth + "\r\n"));
  EXPECT_EQ(socket.ReadAnswer(true).status, 200);
  EXPECT_TRUE(Streams(0));
  EXPECT_EQ(socket.Ask("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n").body, "hello");
}

TEST_F(ServerStream, EndsWhenTheClientDisconnects) {
  RawSocket closed = server_.Connect();
  RawSocket broken = server_.Connect();
  RawSocket half_closed = server_.Connect();
  ASSERT_TRUE(closed.Send(kAsk) && broken.Send(kAsk) && half_closed.Send(kAsk));
  ASSERT_TRUE(Streams(3));
  closed.Close();
  EXPECT_TRUE(Streams(2));
  broken.Reset();
  EXPECT_TRUE(Streams(1));
  half_closed.EndWrites();
  EXPECT_TRUE(Streams(0));
  EXPECT_TRUE(server_.Eventually([&] { return server_.server().stats().connections == 0; }));
  server_.OnLoop([&] { server_.script->wake(); });  // the client has disconnected
}

TEST_F(ServerStream, SlowReaderUsesConstantMemory) {
  server_.OnLoop([&] { server_.script->endless = 64 << 10; });
  RawSocket socket = server_.Connect();
  ASSERT_TRUE(socket.Send(kAsk));
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(socket.ReadBytes(100'000).size(), 100'000u);
    // The loop serves other clients meanwhile.
    if (i % 50 == 0)
      EXPECT_EQ(server_.Ask("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n").body, "hello");
  }
}

TEST(ServerStreamKeepAlive, IsSentAfterSilence) {
  TestServer server({.keep_alive_ms = 20});
  server.OnLoop([&] { server.script->keep_alive = ": alive\n\n"; });
  RawSocket socket = server.Connect();
  ASSERT_TRUE(socket.Send(kAsk));
  socket.ReadUntil("\r\n\r\n");
  EXPECT_EQ(socket.ReadBytes(14), "9\r\n: alive\n\n\r\n");
  EXPECT_EQ(socket.ReadBytes(14), "9\r\n: alive\n\n\r\n");
  server.EndStream();
  EXPECT_THAT(socket.ReadUntil("0\r\n\r\n"), testing::EndsWith("0\r\n\r\n"));
}

// Sanitizers use memory themselves.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
// Bytes in use in all arenas: mallinfo covers the main thread only.
int64_t MemoryInUse() {
  char* text = nullptr;
  size_t size = 0;
  FILE* const file = ::open_memstream(&text, &size);
  ::malloc_info(0, file);
  std::fclose(file);
  const std::string_view report(text, size);
  const auto total = [&](std::string_view entry) {
    const size_t at = report.find("size=\"", report.rfind(entry)) + 6;
    return ParseInt(report.substr(at, report.find('"', at) - at)).value_or(0);
  };
  const int64_t used = total("<system type=\"current\"") - total("<total type=\"fast\"") -
                       total("<total type=\"rest\"");
  std::free(text);
  return used;
}

TEST_F(ServerStream, OpenStreamUsesLittleMemory) {
  constexpr int kCount = 200;
  std::vector<RawSocket> sockets;
  const int64_t before = MemoryInUse();
  for (int i = 0; i < kCount; ++i) sockets.push_back(server_.Connect());
  for (RawSocket& socket : sockets) ASSERT_TRUE(socket.Send(kAsk));
  ASSERT_TRUE(Streams(kCount));
  const int64_t each = (MemoryInUse() - before) / kCount;
  RecordProperty("bytes_per_stream", static_cast<int>(each));
  EXPECT_GT(each, 500);
  EXPECT_LT(each, 20 << 10);
}
#endif

TEST(ServerShutdown, ShutdownBeforeRunMakesRunReturn) {
  const Router router;
  const auto server = Server::Create({.token = "t"}, router).value();
  server->Shutdown(1000);
  server->Run();
}

TEST(ServerShutdown, ReturnsImmediatelyWithoutPendingResponses) {
  TestServer server;
  RawSocket idle = server.Connect();
  EXPECT_EQ(idle.Ask("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
  server.Shutdown(60'000);
  server.Join();
  EXPECT_TRUE(idle.AtEnd());
}

TEST(ServerShutdown, FinishesPendingResponses) {
  TestServer server;
  RawSocket socket = server.Connect();
  ASSERT_TRUE(socket.Send(std::string("GET /later HTTP/1.1\r\n") + TestServer::kAuth + "\r\n"));
  ASSERT_TRUE(server.Eventually([&] { return server.server().stats().requests == 1; }));
  server.Shutdown(60'000);
  server.AnswerLater();
  const Response answer = socket.ReadAnswer();
  EXPECT_EQ(answer.body, "later");
  EXPECT_EQ(FindHeader(answer.headers, "Connection"), "close");
  socket.Close();
  server.Join();
}

TEST(ServerShutdown, EndsStreamsCleanly) {
  TestServer server;
  RawSocket socket = server.Connect();
  ASSERT_TRUE(socket.Send(kAsk));
  server.Feed("abc");
  socket.ReadUntil("abc\r\n");
  server.Shutdown(60'000);
  EXPECT_EQ(socket.ReadBytes(5), "0\r\n\r\n");
  socket.Close();
  server.Join();
  EXPECT_EQ(server.script->streams, 0);
}

TEST(ServerShutdown, AbortsResponsesAfterTheDrainTime) {
  TestServer server;
  server.OnLoop([&] { server.script->endless = 1 << 20; });
  RawSocket stream = server.Connect();
  RawSocket never = server.Connect();
  ASSERT_TRUE(stream.Send(kAsk));
  ASSERT_TRUE(never.Send(std::string("GET /later HTTP/1.1\r\n") + TestServer::kAuth + "\r\n"));
  ASSERT_TRUE(server.Eventually([&] { return server.server().stats().requests == 2; }));
  server.Shutdown(30);
  server.Join();
  EXPECT_EQ(server.script->streams, 0);
  EXPECT_EQ(never.ReadAnswer().status, 0);
  EXPECT_TRUE(never.AtEnd());
}

TEST(ServerShutdown, StopsAccepting) {
  TestServer server;
  RawSocket busy = server.Connect();
  ASSERT_TRUE(busy.Send(std::string("GET /later HTTP/1.1\r\n") + TestServer::kAuth + "\r\n"));
  ASSERT_TRUE(server.Eventually([&] { return server.server().stats().requests == 1; }));
  server.OnLoop([&] { server.server().Shutdown(60'000); });
  EXPECT_FALSE(server.Connect().connected());
  server.AnswerLater();
  busy.ReadAnswer();
  busy.Close();
  server.Join();
}

}  // namespace
}  // namespace muster::http
