#include "http/tls.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/client.h"
#include "http/test_certificate.h"
#include "http/test_server.h"
#include "os/temp_dir.h"

namespace muster::http {
namespace {

using testing::HasSubstr;

class TlsTest : public testing::Test {
 protected:
  ServerOptions Secure() const {
    return {.tls_certificate = certificate_.certificate, .tls_key = certificate_.key};
  }
  Result<std::unique_ptr<Client>> ClientOf(const TestServer& server, const std::string& ca,
                                           const std::string& host = "127.0.0.1") const {
    return Client::Create({.url = "https://" + host + ":" + std::to_string(server.port()),
                           .token = TestServer::kToken,
                           .ca_file = ca});
  }
  Error CreateError(const std::string& certificate, const std::string& key) const {
    auto server = Server::Create({.tls_certificate = certificate, .tls_key = key}, Router());
    return server ? Error{} : server.error();
  }

  os::TempDir dir_;
  TestCertificate certificate_{dir_.path(), "muster.test"};
  TestCertificate other_{dir_.path(), "other.test"};
};

TEST_F(TlsTest, ServesOverTls) {
  TestServer server(Secure());
  EXPECT_THAT(server.server().url(), testing::StartsWith("https://127.0.0.1:"));
  const auto client = ClientOf(server, certificate_.certificate).value();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client->Send("GET", "/secret")->body, "secret");
  const std::string body(60'000, 'x');
  EXPECT_EQ(client->Send("POST", "/echo", body)->body, body);
  EXPECT_EQ(ClientOf(server, certificate_.certificate, "localhost")
                .value()
                ->Send("GET", "/hello")
                ->status,
            200);
}

TEST_F(TlsTest, StreamsAndUploadsOverTls) {
  TestServer server(Secure());
  const auto client = ClientOf(server, certificate_.certificate).value();
  std::ofstream(dir_ / "file") << std::string(10 << 20, 'f');
  EXPECT_EQ(client->SendFile("PUT", "/upload/a", dir_ / "file")->body, std::to_string(10 << 20));
  server.OnLoop([&] {
    for (int i = 0; i < 50; ++i) server.script->pieces.push_back(std::string(100'000, 'x'));
  });
  size_t taken = 0;
  const auto answer = client->Read(
      "/stream", {},
      [&](std::string_view bytes) {
        taken += bytes.size();
        return true;
      },
      10,
      [&] {
        server.EndStream();
        return true;
      });
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_EQ(taken, 5'000'000u);
}

TEST_F(TlsTest, StreamEndsWhenTheClientDisconnects) {
  TestServer server(Secure());
  const auto client = ClientOf(server, certificate_.certificate).value();
  ASSERT_TRUE(
      client->Read("/stream", {}, [](std::string_view) { return true; }, 5, [] { return false; }));
  EXPECT_TRUE(server.Eventually([&] { return server.script->streams == 0; }));
}

TEST_F(TlsTest, ClientRefusesAnUntrustedCertificate) {
  TestServer server(Secure());
  const auto answer = ClientOf(server, other_.certificate).value()->Send("GET", "/hello");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kDenied);
  EXPECT_THAT(answer.error().next, HasSubstr("SSL_CERT_FILE"));
}

TEST_F(TlsTest, ClientRefusesACertificateForAnotherHost) {
  TestServer server(Secure());
  const auto answer =
      ClientOf(server, certificate_.certificate, "127.0.0.2").value()->Send("GET", "/hello");
  ASSERT_FALSE(answer);
}

TEST_F(TlsTest, PlainHttpReceivesAHintToUseTls) {
  TestServer server(Secure());
  const Response answer = server.Ask("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("https://"));
}

TEST_F(TlsTest, GarbageAndSlowHandshakesAreClosed) {
  ServerOptions options = Secure();
  options.header_timeout_ms = 50;
  TestServer server(options);
  RawSocket garbage = server.Connect();
  ASSERT_TRUE(garbage.Send(std::string(300, '\xee')));
  garbage.ReadBytes(1000);  // possibly a TLS alert
  EXPECT_TRUE(garbage.AtEnd());
  RawSocket silent = server.Connect();
  EXPECT_TRUE(silent.AtEnd());
}

TEST_F(TlsTest, TlsClientFailsAtAPlainServer) {
  TestServer server;
  const auto answer = ClientOf(server, certificate_.certificate).value()->Send("GET", "/hello");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kUnavailable);
}

TEST_F(TlsTest, MayListenBeyondLoopback) {
  ServerOptions options = Secure();
  options.host = "0.0.0.0";
  TestServer server(options);
  const auto client = ClientOf(server, certificate_.certificate).value();
  EXPECT_EQ(client->Send("GET", "/hello")->status, 200);
}

TEST_F(TlsTest, ErrorsNameTheFaultyFile) {
  const Error missing = CreateError(dir_ / "none.crt", certificate_.key);
  EXPECT_EQ(missing.code, Code::kNotFound);
  EXPECT_THAT(missing.text, HasSubstr("none.crt"));
  std::ofstream(dir_ / "text") << "not a certificate";
  EXPECT_THAT(CreateError(dir_ / "text", certificate_.key).text,
              HasSubstr("cannot use the TLS certificate"));
  EXPECT_THAT(CreateError(certificate_.certificate, dir_ / "text").text,
              HasSubstr("cannot use the TLS key"));
  EXPECT_THAT(CreateError(certificate_.certificate, other_.key).text,
              HasSubstr("does not belong to"));
  EXPECT_THAT(CreateError(certificate_.certificate, "").text, HasSubstr("without a key"));
  EXPECT_THAT(CreateError("", certificate_.key).text, HasSubstr("without a certificate"));
}

TEST_F(TlsTest, ErrorsNameTheFaultyAuthorities) {
  EXPECT_FALSE(Client::Create({.url = "https://localhost:1", .ca_file = dir_ / "none.pem"}));
  std::ofstream(dir_ / "text") << "no authority";
  EXPECT_FALSE(Client::Create({.url = "https://localhost:1", .ca_file = dir_ / "text"}));
  EXPECT_TRUE(Client::Create({.url = "https://localhost:1"}));
}

}  // namespace
}  // namespace muster::http
