#include "launcher/rendezvous.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <thread>

#include <gmock/gmock.h>

#include "launcher/launch_bench.h"
#include "os/epoll_loop.h"

namespace muster::launcher {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// A server on its own loop, and a client that behaves like Horovod's.
class RendezvousTest : public testing::Test {
 protected:
  explicit RendezvousTest(int64_t most_arriving = 256 << 20) : server_(loop_, most_arriving) {
    EXPECT_TRUE(server_.Listen({"127.0.0.1", 0, true}).has_value());
    thread_ = std::thread([this] { EXPECT_TRUE(loop_.Run().has_value()); });
  }
  ~RendezvousTest() override {
    loop_.Stop();
    thread_.join();
  }

  os::Fd Connect() const {
    os::Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(uint16_t(server_.port()));
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    EXPECT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return fd;
  }
  static void Send(const os::Fd& fd, std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;  // the server has responded and closed
      text.remove_prefix(size_t(sent));
    }
  }
  static std::string ReadAll(const os::Fd& fd) {
    std::string text;
    char buffer[4096];
    for (ssize_t got; (got = read(fd.get(), buffer, sizeof buffer)) > 0;)
      text.append(buffer, size_t(got));
    return text;
  }
  std::string Ask(std::string_view method, std::string_view path, std::string_view body = "") {
    const os::Fd fd = Connect();
    Send(fd, std::string(method) + " " + std::string(path) +
                 " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + std::to_string(body.size()) +
                 "\r\n\r\n" + std::string(body));
    return ReadAll(fd);
  }

  os::EpollLoop loop_;
  RendezvousServer server_;
  std::thread thread_;
};

TEST_F(RendezvousTest, ServesWrittenKeys) {
  EXPECT_THAT(Ask("GET", "/global/0"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(Ask("PUT", "/global/0", "address"), StartsWith("HTTP/1.1 200 OK\r\n"));
  const std::string answer = Ask("GET", "/global/0");
  // This spelling, which the client compares.
  EXPECT_THAT(answer, HasSubstr("\r\nContent-Length: 7\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\naddress"));
}

TEST_F(RendezvousTest, AcceptsARequestInPieces) {
  const os::Fd fd = Connect();
  for (const char* part : {"PU", "T /g/0 HTTP/1.1\r\nHost: x\r\nContent-", "Length: 4\r\n\r\nab"})
    Send(fd, part);
  EXPECT_THAT(Ask("GET", "/g/0"), StartsWith("HTTP/1.1 404 "));
  Send(fd, "cd");
  EXPECT_THAT(ReadAll(fd), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(Ask("GET", "/g/0"), EndsWith("abcd"));
}

TEST_F(RendezvousTest, CarriesTheAddressesOfThousandsOfRanks) {
  const std::string large(600'000, 'x');
  Ask("PUT", "/g/0", large);
  EXPECT_THAT(Ask("GET", "/g/0"), EndsWith(large));
}

class SmallRendezvousTest : public RendezvousTest {
 protected:
  SmallRendezvousTest() : RendezvousTest(1000) {}
};

TEST_F(SmallRendezvousTest, TotalOfIncompleteBodiesIsLimited) {
  const std::string head = "PUT /g/0 HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n";
  os::Fd slow = Connect();
  Send(slow, head + std::string(899, 'x'));
  // Refused while the slow client holds its part; the order of both does not matter.
  const os::Fd other = Connect();
  Send(other, head + std::string(899, 'x'));
  Send(slow, "x");
  Send(other, "x");
  const std::string answers = ReadAll(slow) + ReadAll(other);
  EXPECT_THAT(answers, HasSubstr("HTTP/1.1 200 "));
  slow.Reset();
  EXPECT_THAT(Ask("PUT", "/g/1", std::string(900, 'y')), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Ask("PUT", "/g/2", std::string(1100, 'y')), StartsWith("HTTP/1.1 4"));
  EXPECT_THAT(Ask("PUT", "/g/3", std::string(900, 'y')), StartsWith("HTTP/1.1 200 "));
}

TEST_F(RendezvousTest, WaitsWithoutBusyLoopIfDescriptorsRunOut) {
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "the sanitizer needs descriptors for its own looks at memory";
#endif
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = dup(STDIN_FILENO);
  ASSERT_GE(next, 0);
  close(next);
  const rlimit tight{rlim_t(next) + 1,
                     before.rlim_max};  // space for the client, none for the server
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
  const os::Fd fd = Connect();
  clockid_t clock{};
  ASSERT_EQ(pthread_getcpuclockid(thread_.native_handle(), &clock), 0);
  const auto spent_ms = [&] {
    timespec time{};
    clock_gettime(clock, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1'000'000;
  };
  const auto began = spent_ms();
  usleep(300'000);  // measures processor time meanwhile
  EXPECT_LT(spent_ms() - began, 100) << "it spins";
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  Send(fd, "PUT /g/0 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nz");
  EXPECT_THAT(ReadAll(fd), StartsWith("HTTP/1.1 200 "));
}

TEST_F(RendezvousTest, InvalidRequestsAreAnsweredAndServiceContinues) {
  {
    const os::Fd fd = Connect();
    Send(fd, "\x16\x03\x01 what\r\n\r\n");
    EXPECT_THAT(ReadAll(fd), StartsWith("HTTP/1.1 4"));
  }
  {
    const os::Fd fd = Connect();
    Send(fd, "PUT /g/0 HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n");
    EXPECT_THAT(ReadAll(fd), StartsWith("HTTP/1.1 413 "));
  }
  EXPECT_THAT(Ask("PUT", "/g/0", "x"), StartsWith("HTTP/1.1 200 "));
}

int FreePort() {
  const os::Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  return ntohs(address.sin_port);
}

TEST(MeetingTest, RanksStartAfterTheRendezvousAcceptsConnections) {
  LaunchBench bench;
  const int port = FreePort();
  auto first = bench.Order(0, {"until test -s ../../node1/rank1.log; do sleep 0.01; done"}, 2);
  auto second = bench.Order(1, {"echo met"}, 2);
  first.rendezvous = Rendezvous{"127.0.0.1", port, true};
  second.rendezvous = Rendezvous{"127.0.0.1", port, false};
  bench.Launch(second);
  bench.WaitFor<LauncherBegan>(1);
  EXPECT_TRUE(Lines<RankStarted>(bench.Record(1)).empty());
  bench.Launch(first);
  bench.WaitFor<RankEnded>(0);
  EXPECT_EQ(bench.Text(1, "rank1.log"), "met\n");
}

TEST(MeetingTest, StopEndsTheWait) {
  LaunchBench bench;
  auto order = bench.Order(0, {"echo never"}, 2);
  order.rendezvous = Rendezvous{"127.0.0.1", FreePort(), false};
  bench.Launch(order);
  bench.WaitFor<LauncherBegan>(0);
  bench.Tell({StoppedBy::kUser, -1, -1, "", -1});
  EXPECT_EQ(bench.WaitLauncher(0), 0);
  EXPECT_TRUE(Lines<RankStarted>(bench.Record(0)).empty());
}

TEST(MeetingTest, AddressInUseFailsTheNodeByName) {
  LaunchBench bench;
  os::Fd holder(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(holder.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(holder.get(), 1), 0);
  ASSERT_EQ(getsockname(holder.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  auto order = bench.Order(0, {"echo never"});
  order.rendezvous = Rendezvous{"127.0.0.1", ntohs(address.sin_port), true};
  bench.Launch(order);
  bench.WaitLauncher(0);
  const auto ended = Lines<LauncherEnded>(bench.Record(0));
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_TRUE(ended[0].failed);
}

}  // namespace
}  // namespace muster::launcher
