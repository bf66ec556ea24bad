#include "launcher/footing.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "os/net.h"
#include "os/temp_dir.h"

namespace muster::launcher {
namespace {

NodeOrder VirtualNode(const os::Path& dir) {
  NodeOrder order;
  order.dir = dir;
  order.isolate = true;
  order.node_name = order.hostname = "footing-0";
  order.hosts = Hosts{{"127.77.0.1", "footing-0"}};
  return order;
}

// Runs in a child process, because the identity is permanent. Exit code 0: unchanged; 1: changed;
// 77: this machine does not permit virtual nodes.
template <typename Deed>
int HoldsAfter(const os::Path& dir, Deed deed) {
  Footing footing;
  if (!footing.Take(VirtualNode(dir)).empty()) return 77;
  deed();
  return footing.Holds() ? 0 : 1;
}

#define EXPECT_HOLDS_AFTER(expected, deed)                             \
  EXPECT_EXIT(                                                         \
      _exit(HoldsAfter(dir_, deed)),                                   \
      [](int status) {                                                 \
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1; \
        return code == (expected) || code == 77;                       \
      },                                                               \
      "")

class FootingTest : public testing::Test {
 protected:
  os::TempDir scratch_;
  const os::Path dir_ = scratch_.path();
};

TEST_F(FootingTest, NewProcessFitsAnyOrder) {
  const Footing footing;
  EXPECT_TRUE(footing.Holds());
  EXPECT_TRUE(footing.Fits(NodeOrder{}));
  EXPECT_TRUE(footing.Fits(VirtualNode(dir_)));
  EXPECT_EQ(footing.machine(), os::HostName());
}

TEST_F(FootingTest, VirtualNodeFitsOrdersOfThatNodeOnly) {
  const auto look = [&]() -> int {
    Footing footing;
    if (!footing.Take(VirtualNode(dir_)).empty()) return 77;
    NodeOrder other = VirtualNode(dir_);
    other.hosts = Hosts{{"127.77.0.2", "footing-0"}};
    const bool right = footing.Fits(VirtualNode(dir_)) && !footing.Fits(other) &&
                       !footing.Fits(NodeOrder{}) && footing.machine() != os::HostName();
    return right ? 0 : 1;
  };
  EXPECT_EXIT(
      _exit(look()),
      [](int status) { return WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77; }, "");
}

TEST_F(FootingTest, UnchangedVirtualNodeServesAgain) {
  EXPECT_HOLDS_AFTER(0, [] {});
}

TEST_F(FootingTest, ChangedHostNamePreventsReuse) {
  EXPECT_HOLDS_AFTER(1, [] { (void)sethostname("other", 5); });
}

TEST_F(FootingTest, ChangedHostsFilePreventsReuse) {
  EXPECT_HOLDS_AFTER(1, [&] {
    const auto hosts = os::Open(dir_ / "hosts", O_WRONLY | O_APPEND);
    if (hosts) (void)os::WriteAll(hosts->get(), "10.0.0.1 other\n");
  });
}

TEST_F(FootingTest, AdditionalMountPreventsReuse) {
  EXPECT_HOLDS_AFTER(1, [&] { (void)mount("none", dir_.c_str(), "tmpfs", 0, nullptr); });
}

}  // namespace
}  // namespace muster::launcher
