// The whole store behind its listeners.
#include "objects/s3_server.h"

#include <thread>

#include <gmock/gmock.h>

#include "http/raw_socket.h"
#include "objects/signature.h"
#include "os/temp_dir.h"
#include "s3/time_text.h"

namespace muster::objects {
namespace {

using testing::HasSubstr;

class S3ServerTest : public testing::Test {
 protected:
  S3ServerTest() { Start(); }

  void Start() { server_ = S3Server::Start({.root = dir_ / "objects", .threads = 3}).value(); }
  int port() const { return std::stoi(server_->url().substr(server_->url().rfind(':') + 1)); }

  // Headers that sign a request with an unsigned body.
  http::Headers Sign(const std::string& method, const std::string& target) {
    const std::string now = s3::CompactDate(SystemClock().WallMs());
    const std::string host = "127.0.0.1:" + std::to_string(port());
    http::Headers headers = {
        {"Host", host}, {"x-amz-content-sha256", "UNSIGNED-PAYLOAD"}, {"x-amz-date", now}};
    http::Request head;
    head.method = method;
    head.raw_target = target;
    head.headers = headers;
    const S3Request request = ReadRequest(head, {}, {}).value();
    const std::vector<std::string> names = {"host", "x-amz-content-sha256", "x-amz-date"};
    const KeyPair key = server_->first_key();
    const std::string day = now.substr(0, 8), scope = day + "/r/s3/aws4_request";
    headers.emplace_back(
        "Authorization",
        "AWS4-HMAC-SHA256 Credential=" + key.access_key + "/" + scope +
            ",SignedHeaders=host;x-amz-content-sha256;x-amz-date,Signature=" +
            s3::SignatureV4(s3::SigningKeyV4(key.secret_key, day, "r", "s3"), now, scope,
                            CanonicalRequestV4(request, names, "UNSIGNED-PAYLOAD")));
    return headers;
  }
  http::Response Send(const std::string& method, const std::string& target,
                      std::string_view body = {}) {
    const http::Headers headers = Sign(method, target);
    std::string head = method + " " + target + " HTTP/1.1\r\n";
    for (const auto& [name, value] : headers) head += name + ": " + value + "\r\n";
    head += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    http::RawSocket socket(port());
    if (!socket.Send(head + std::string(body))) return {.status = 0};
    return socket.ReadAnswer(method == "HEAD");
  }

  os::TempDir dir_;
  std::unique_ptr<S3Server> server_;
};

TEST_F(S3ServerTest, ServesManyConnectionsConcurrently) {
  ASSERT_EQ(Send("PUT", "/bucket").status, 200);
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 6; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 5; ++i) {
          const std::string target = "/bucket/d/" + std::to_string(t) + "-" + std::to_string(i);
          const std::string body(size_t(1000 * i), static_cast<char>('a' + t));
          const bool put = Send("PUT", target, body).status == 200;
          if (put && Send("GET", target).body == body) ++good;
        }
      });
    }
  }
  EXPECT_EQ(good, 30);
  EXPECT_THAT(Send("GET", "/bucket?list-type=2&prefix=d%2F").body,
              HasSubstr("<KeyCount>30</KeyCount>"));
}

TEST_F(S3ServerTest, ErrorsHaveTheFormOfS3) {
  const auto anonymous = http::RawSocket(port()).Ask("GET /bucket/k HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(anonymous.status, 403);
  EXPECT_THAT(anonymous.body, HasSubstr("<Code>AccessDenied</Code>"));
  EXPECT_THAT(Send("GET", "/bucket/k").body, HasSubstr("<Code>NoSuchBucket</Code>"));
  EXPECT_EQ(Send("HEAD", "/bucket/k").status, 404);
  EXPECT_THAT(Send("PUT", "/bucket?versioning", "<x/>").body,
              HasSubstr("<Code>NotImplemented</Code>"));
  EXPECT_THAT(Send("POST", "/bucket?delete", "<Delete>").body,
              HasSubstr("<Code>MalformedXML</Code>"));
}

TEST_F(S3ServerTest, StopsWhileRequestsAreInProgress) {
  ASSERT_EQ(Send("PUT", "/bucket").status, 200);
  std::vector<http::RawSocket> open;
  for (int i = 0; i < 4; ++i) {
    const std::string target = "/bucket/cut" + std::to_string(i);
    std::string head = "PUT " + target + " HTTP/1.1\r\n";
    for (const auto& [name, value] : Sign("PUT", target)) head += name + ": " + value + "\r\n";
    open.emplace_back(port()).Send(head + "Content-Length: 1000000\r\n\r\n" +
                                   std::string(5000, 'x'));
  }
  std::atomic<bool> stop = false;
  std::vector<std::jthread> busy;
  for (int t = 0; t < 3; ++t) {
    busy.emplace_back([&, target = "/bucket/busy" + std::to_string(t), port_now = port(),
                       headers = Sign("PUT", "/bucket/busy" + std::to_string(t))] {
      std::string head = "PUT " + target + " HTTP/1.1\r\n";
      for (const auto& [name, value] : headers) head += name + ": " + value + "\r\n";
      while (!stop) {
        http::RawSocket socket(port_now);
        if (!socket.connected()) return;
        (void)socket.Ask(head + "Content-Length: 4\r\n\r\nbusy");
      }
    });
  }
  server_.reset();
  stop = true;
  busy.clear();
  Start();
  EXPECT_EQ(Send("GET", "/bucket/cut0").status, 404);
  EXPECT_TRUE(std::filesystem::is_empty(dir_ / "objects/.muster/tmp"));
}

TEST_F(S3ServerTest, ListensOnThePortOfTheLastRun) {
  const int before = port();
  server_.reset();
  Start();
  EXPECT_EQ(port(), before);
}

}  // namespace
}  // namespace muster::objects
