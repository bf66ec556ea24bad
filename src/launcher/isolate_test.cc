#include "launcher/isolate.h"

#include <gtest/gtest.h>

namespace muster::launcher {
namespace {

TEST(IsolateTest, HostsOfTheAttemptPrecedeThoseOfTheMachine) {
  NodeOrder order;
  order.hosts = Hosts{{"127.77.0.1", "node-0"}, {"127.77.0.2", "node-1"}};
  EXPECT_EQ(HostsText(order, "10.0.0.1 node-0"),
            "127.0.0.1 localhost\n::1 localhost\n127.77.0.1 node-0\n127.77.0.2 node-1\n"
            "10.0.0.1 node-0\n");
}

TEST(IsolateTest, NamesThatWouldBreakALineAreOmitted) {
  NodeOrder order;
  order.hosts =
      Hosts{{"127.77.0.1", "a\n6.6.6.6 evil"}, {"", "b"}, {"127.77.0.3", "c d"}, {"::1", "ok"}};
  EXPECT_EQ(HostsText(order, ""), "127.0.0.1 localhost\n::1 localhost\n::1 ok\n");
}

TEST(IsolateTest, NothingChangesWithoutAnOrder) { EXPECT_TRUE(Isolate(NodeOrder{}).empty()); }

}  // namespace
}  // namespace muster::launcher
