#include "os/tcp_links.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "os/fd.h"

namespace muster::os {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(TcpTable, KeepsEstablishedRowsAndIgnoresOthers) {
  const auto rows = ParseTcpTable(
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
      "inode\n"
      "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 11 1\n"
      "   1: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000 0 0 12 1\n"
      "   2: 0000000000000000FFFF00000100007F:C001 0000000000000000FFFF00000100007F:1F90 01 "
      "00000000:00000000 00:00000000 00000000 0 0 13 1\n"
      "   3: short\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].inode, 12u);
  EXPECT_EQ(rows[1].local, rows[0].remote);
  EXPECT_EQ(rows[1].remote, rows[0].local);
}

// A child that holds one end of a connection to this process until it is killed.
class Connected : public testing::Test {
 protected:
  void SetUp() override {
    const Fd listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    ASSERT_EQ(bind(listener.get(), plain, size), 0);
    ASSERT_EQ(listen(listener.get(), 1), 0);
    ASSERT_EQ(getsockname(listener.get(), plain, &size), 0);
    child_ = fork();
    if (child_ == 0) {
      const int mine = socket(AF_INET, SOCK_STREAM, 0);
      if (connect(mine, plain, sizeof(address)) != 0) _exit(1);
      for (;;) pause();
    }
    ASSERT_GT(child_, 0);
    accepted_ = Fd(accept(listener.get(), nullptr, nullptr));
    ASSERT_GE(accepted_.get(), 0);
  }
  void TearDown() override {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

  pid_t child_ = -1;
  Fd accepted_;
};

TEST_F(Connected, BothEndsAreLinked) {
  EXPECT_THAT(TcpLinks({getpid(), child_}),
              ElementsAre(std::pair(std::min(getpid(), child_), std::max(getpid(), child_))));
}

TEST_F(Connected, OneEndIsNotALink) { EXPECT_THAT(TcpLinks({child_}), IsEmpty()); }

}  // namespace
}  // namespace muster::os
