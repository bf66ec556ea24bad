// A server that passes every request to one service, and response bodies in files.
#include "http/service.h"

#include <fcntl.h>

#include <future>
#include <memory>
#include <thread>

#include <gmock/gmock.h>

#include "http/client.h"
#include "http/raw_socket.h"
#include "http/server.h"
#include "http/test_certificate.h"
#include "os/file.h"
#include "os/temp_dir.h"

namespace muster::http {
namespace {

// GET sends the range of the file given by the target "/offset/length"; PUT counts bytes; "/refuse"
// is refused by its head.
class FileService final : public Service {
 public:
  explicit FileService(os::Path file) : file_(std::move(file)) {}

  std::expected<std::unique_ptr<BodySink>, Response> Begin(const Request& head,
                                                           const RequestFacts& facts,
                                                           os::Loop&) override {
    if (head.raw_target == "/refuse") return std::unexpected(Response{403, {}, "by the head"});
    last_length = facts.content_length;
    return std::make_unique<Sink>(file_, head);
  }
  std::atomic<int64_t> last_length = -1;

 private:
  class Sink final : public BodySink {
   public:
    Sink(const os::Path& file, const Request& head) : file_(file), head_(head) {}
    Status Write(std::string_view bytes) override {
      taken_ += bytes;
      if (taken_.find("poison") == std::string::npos) return {};
      return Fail(Code::kInvalid, "poison was found");
    }
    bool authorised() const override { return head_.raw_target != "/open-to-all"; }
    Response Refusal(const Error& error) override { return {422, {}, "own words: " + error.text}; }
    void Finish(Reply reply) override {
      if (head_.method == "PUT") return reply.Send({200, {}, head_.raw_target + " " + taken_});
      FileBody body{os::Fd(::open(file_.c_str(), O_RDONLY | O_CLOEXEC)), 0, 0};
      const std::string& target = head_.raw_target;
      body.offset = std::stoll(target.substr(1));
      body.length = std::stoll(target.substr(target.find('/', 1) + 1));
      reply.SendFile({200, {{"X-Kind", "file"}}, {}}, std::move(body));
    }

   private:
    const os::Path& file_;
    const Request& head_;
    std::string taken_;
  };
  os::Path file_;
};

class ServiceTest : public testing::Test {
 protected:
  ServiceTest() : service_(dir_ / "file") {
    for (int64_t i = 0; content_.size() < (3u << 20); ++i) content_ += std::to_string(i * 7919);
    EXPECT_TRUE(os::WriteFileAtomic(dir_ / "file", content_, 0644, false));
  }
  ~ServiceTest() override { Stop(); }

  void Start(ServerOptions options = {}) {
    auto server = Server::Create(options, service_);
    ASSERT_TRUE(server) << server.error().text;
    servers_.push_back(std::move(*server));
    threads_.emplace_back([raw = servers_.back().get()] { raw->Run(); });
  }
  void StartAnother() {
    auto server = servers_[0]->Another();
    ASSERT_TRUE(server) << server.error().text;
    servers_.push_back(std::move(*server));
    threads_.emplace_back([raw = servers_.back().get()] { raw->Run(); });
  }
  int ConnectionsOf(Server& server) {
    std::promise<int> count;
    server.loop().Post([&] { count.set_value(server.stats().connections); });
    return count.get_future().get();
  }
  void Stop() {
    for (const auto& server : servers_) {
      server->loop().Post([raw = server.get()] { raw->Shutdown(100); });
    }
    for (auto& thread : threads_) thread.join();
    threads_.clear();
    servers_.clear();
  }
  Response Ask(std::string_view request) { return RawSocket(servers_[0]->port()).Ask(request); }

  os::TempDir dir_;
  std::string content_;
  FileService service_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::vector<std::thread> threads_;
};

TEST_F(ServiceTest, TargetsArriveUnchanged) {
  Start();
  const Response answer =
      Ask("PUT /b//../%00x?a=%ff HTTP/1.1\r\nHost: any.where\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "/b//../%00x?a=%ff hi");
  EXPECT_EQ(service_.last_length, 2);
}

TEST_F(ServiceTest, HeadMayBeRefusedBeforeTheBodyIsRequested) {
  Start();
  const Response answer =
      Ask("PUT /refuse HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(answer.status, 403);
  EXPECT_EQ(answer.body, "by the head");
}

TEST_F(ServiceTest, SinkChoosesTheResponseForItsError) {
  Start();
  const Response answer =
      Ask("PUT /x HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nsome poison in it");
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(answer.body, "own words: poison was found");
}

// A client on this machine receives copies of the bytes, another the pages of the file: both paths
// are tested.
TEST_F(ServiceTest, RequestsThatAreOpenToAllDoNotExtendTheTimeOfAConnection) {
  Start({.unauthorised_timeout_ms = 50, .header_timeout_ms = 60'000});
  const std::string put = " HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx";
  RawSocket authorised(servers_[0]->port()), other(servers_[0]->port()),
      refused(servers_[0]->port());
  EXPECT_EQ(authorised.Ask("PUT /mine" + put).status, 200);
  EXPECT_EQ(other.Ask("PUT /open-to-all" + put).status, 200);
  EXPECT_EQ(refused.Ask("PUT /refuse" + put).status, 403);
  EXPECT_TRUE(other.AtEnd());
  EXPECT_TRUE(refused.AtEnd());
  EXPECT_EQ(authorised.Ask("PUT /mine" + put).status, 200);
}

class FileTest : public ServiceTest, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(NearAndFar, FileTest, testing::Values("127.0.0.1", "127.0.0.2"),
                         [](const auto& at) { return at.index == 0 ? "near" : "far"; });

TEST_P(FileTest, SmallAndLargeRangesArriveComplete) {
  Start();
  RawSocket socket(servers_[0]->port(), GetParam());
  for (const auto& [offset, length] : {std::pair<size_t, size_t>{0, 0},
                                       {0, 1},
                                       {17, 1000},
                                       {5, 64 << 10},
                                       {5, (64 << 10) + 1},
                                       {100, content_.size() - 100},
                                       {0, content_.size()}}) {
    const Response answer = socket.Ask("GET /" + std::to_string(offset) + "/" +
                                       std::to_string(length) + " HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(FindHeader(answer.headers, "Content-Length"), std::to_string(length));
    EXPECT_TRUE(answer.body == content_.substr(offset, length)) << offset << " " << length;
  }
}

TEST_F(ServiceTest, FilesArriveCompleteOverTls) {
  const TestCertificate certificate(dir_.path(), "muster.test");
  Start({.tls_certificate = certificate.certificate, .tls_key = certificate.key});
  const auto client =
      Client::Create({.url = servers_[0]->url(), .ca_file = certificate.certificate}).value();
  EXPECT_EQ(client->Send("GET", "/3/10")->body, content_.substr(3, 10));
  const std::string target = "/3/" + std::to_string(content_.size() - 3);
  EXPECT_TRUE(client->Send("GET", target)->body == content_.substr(3));
}

TEST_F(ServiceTest, HeadHasTheLengthOfTheFile) {
  Start();
  RawSocket socket(servers_[0]->port());
  ASSERT_TRUE(socket.Send("HEAD /0/123456 HTTP/1.1\r\nHost: h\r\n\r\n"));
  const Response answer = socket.ReadAnswer(true);
  EXPECT_EQ(FindHeader(answer.headers, "Content-Length"), "123456");
  EXPECT_EQ(socket.Ask("GET /0/1 HTTP/1.1\r\nHost: h\r\n\r\n").body, content_.substr(0, 1));
}

TEST_P(FileTest, PipelinedRequestsAreAnsweredInOrder) {
  Start();
  RawSocket socket(servers_[0]->port(), GetParam());
  std::string requests;
  for (const char* target : {"/9/2000000", "/3/5", "/7/1500000"}) {
    requests += std::string("GET ") + target + " HTTP/1.1\r\nHost: h\r\n\r\n";
  }
  ASSERT_TRUE(socket.Send(requests));
  EXPECT_TRUE(socket.ReadAnswer().body == content_.substr(9, 2000000));
  EXPECT_EQ(socket.ReadAnswer().body, content_.substr(3, 5));
  EXPECT_TRUE(socket.ReadAnswer().body == content_.substr(7, 1500000));
}

TEST_P(FileTest, FileThatIsTooShortClosesTheConnection) {
  Start();
  RawSocket socket(servers_[0]->port(), GetParam());
  ASSERT_TRUE(socket.Send("GET /0/99999999 HTTP/1.1\r\nHost: h\r\n\r\n"));
  socket.ReadUntil("\r\n\r\n");
  EXPECT_EQ(socket.ReadBytes(99999999).size(), content_.size());
  EXPECT_TRUE(socket.AtEnd());
}

TEST_F(ServiceTest, ConnectionsAreDistributedEvenly) {
  Start();
  StartAnother();
  StartAnother();
  std::vector<RawSocket> sockets;
  for (int i = 0; i < 30; ++i) {
    sockets.emplace_back(servers_[0]->port());
    EXPECT_EQ(sockets.back().Ask("GET /0/3 HTTP/1.1\r\nHost: h\r\n\r\n").body,
              content_.substr(0, 3));
  }
  for (const auto& server : servers_) EXPECT_EQ(ConnectionsOf(*server), 10);
}

TEST_F(ServiceTest, EndedConnectionFreesItsSlot) {
  Start();
  StartAnother();
  for (int i = 0; i < 100; ++i) {
    RawSocket socket(servers_[0]->port());
    EXPECT_EQ(socket.Ask("GET /0/3 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").body.size(),
              3U);
    EXPECT_TRUE(socket.AtEnd());
  }
}

TEST_F(ServiceTest, ServersShareOneSocket) {
  Start();
  StartAnother();
  EXPECT_EQ(servers_[0]->port(), servers_[1]->port());
  servers_[0]->loop().Post([raw = servers_[0].get()] { raw->Shutdown(100); });
  threads_[0].join();
  threads_.erase(threads_.begin());
  // A member that has left receives none, although it has the fewest.
  std::vector<RawSocket> sockets;
  for (int i = 0; i < 3; ++i) {
    sockets.emplace_back(servers_[1]->port());
    EXPECT_EQ(sockets.back().Ask("GET /0/3 HTTP/1.1\r\nHost: h\r\n\r\n").body,
              content_.substr(0, 3));
  }
}

}  // namespace
}  // namespace muster::http
