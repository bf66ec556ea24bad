#include "engines/local/port_book.h"

#include <gtest/gtest.h>

namespace muster::engines {
namespace {

TEST(PortBookTest, NeverGivesAPortTwiceWhileItIsHeld) {
  PortBook book([](const std::string&, int) { return true; }, 100, 109);
  std::set<int> seen;
  for (int i = 0; i < 5; ++i) {
    const auto ports = book.Reserve(std::to_string(i), "127.0.0.1", 2);
    ASSERT_TRUE(ports);
    for (int port : *ports) EXPECT_TRUE(seen.insert(port).second);
  }
  const auto none = book.Reserve("x", "127.0.0.1", 1);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::kUnavailable);
  EXPECT_EQ(book.held(), 10u);
}

TEST(PortBookTest, SkipsPortsThatOthersListenOn) {
  PortBook book([](const std::string&, int port) { return port % 2 == 1; }, 100, 109);
  const auto ports = book.Reserve("a", "127.0.0.1", 5);
  ASSERT_TRUE(ports);
  for (int port : *ports) EXPECT_EQ(port % 2, 1);
}

TEST(PortBookTest, AFailedReserveHoldsNothingAndAReleaseFreesAll) {
  PortBook book([](const std::string&, int) { return true; }, 100, 103);
  EXPECT_FALSE(book.Reserve("a", "127.0.0.1", 9));
  EXPECT_EQ(book.held(), 0u);
  ASSERT_TRUE(book.Reserve("a", "127.0.0.1", 4));
  book.Release("a");
  book.Release("nobody");
  EXPECT_EQ(book.held(), 0u);
  EXPECT_TRUE(book.Reserve("b", "127.0.0.1", 4));
}

TEST(PortBookTest, RunIsConsecutiveAndFreeAtEveryAddress) {
  const std::set<std::pair<std::string, int>> taken{{"127.0.0.1", 102}, {"127.0.0.2", 105}};
  PortBook book(
      [&](const std::string& address, int port) { return !taken.contains({address, port}); }, 100,
      112);
  const auto run = book.ReserveRun("a", {"127.0.0.1", "127.0.0.2"}, 3);
  ASSERT_TRUE(run);
  EXPECT_EQ(*run, (std::vector<int>{106, 107, 108}));
  const auto other = book.ReserveRun("b", {"127.0.0.1"}, 3);
  ASSERT_TRUE(other);
  EXPECT_EQ(*other, (std::vector<int>{109, 110, 111}));
  const auto third = book.ReserveRun("c", {"127.0.0.1"}, 3);
  ASSERT_TRUE(third) << third.error().text;
  EXPECT_EQ(*third, (std::vector<int>{103, 104, 105}));
}

TEST(PortBookTest, RunDoesNotContinueFromTheLastPortToTheFirst) {
  PortBook book([](const std::string&, int) { return true; }, 100, 109, 8);
  EXPECT_EQ(*book.ReserveRun("a", {"127.0.0.1"}, 4), (std::vector<int>{100, 101, 102, 103}));
}

TEST(PortBookTest, FailedRunHoldsNothingAndReleaseFreesARun) {
  PortBook book([](const std::string&, int port) { return port % 4 != 0; }, 100, 111);
  const auto none = book.ReserveRun("a", {"127.0.0.1"}, 4);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::kUnavailable);
  EXPECT_NE(none.error().text.find("no 4 consecutive ports"), std::string::npos);
  EXPECT_EQ(book.held(), 0u);
  ASSERT_TRUE(book.ReserveRun("a", {"127.0.0.1"}, 3));
  EXPECT_EQ(book.held(), 3u);
  book.Release("a");
  EXPECT_EQ(book.held(), 0u);
}

TEST(PortBookTest, PortsKnownFromBeforeARestartStayHeld) {
  PortBook book([](const std::string&, int) { return true; }, 100, 101);
  book.Hold("old", {100});
  const auto ports = book.Reserve("new", "127.0.0.1", 1);
  ASSERT_TRUE(ports);
  EXPECT_EQ((*ports)[0], 101);
}

}  // namespace
}  // namespace muster::engines
