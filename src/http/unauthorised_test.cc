#include "http/unauthorised.h"

#include <array>

#include <gtest/gtest.h>

namespace muster::http {
namespace {

using std::chrono::milliseconds;

// Only the addresses of the connections are used.
class UnauthorisedTest : public testing::Test {
 protected:
  Connection& At(int i) { return *reinterpret_cast<Connection*>(&places_[size_t(i)]); }
  static UnauthorisedConnections::Time After(int ms) {
    return UnauthorisedConnections::Time() + milliseconds(ms);
  }

  std::array<char, 8> places_ = {};
  UnauthorisedConnections all_{2, milliseconds(1000)};
};

TEST_F(UnauthorisedTest, OldestConnectionOfTheAddressAboveTheLimitIsTaken) {
  all_.Add(At(0), "10.0.0.9", After(0));
  for (int i = 1; i < 4; ++i) all_.Add(At(i), "10.0.0.1", After(i));
  EXPECT_EQ(all_.TakeAboveLimit("10.0.0.1", After(2000)), &At(1));
  EXPECT_FALSE(all_.Has(At(1)));
  EXPECT_EQ(all_.TakeAboveLimit("10.0.0.1", After(2000)), nullptr);
  EXPECT_EQ(all_.TakeAboveLimit("10.0.0.9", After(2000)), nullptr);
}

TEST_F(UnauthorisedTest, ConnectionYoungerThanTheGraceIsKept) {
  for (int i = 0; i < 3; ++i) all_.Add(At(i), "10.0.0.1", After(100));
  EXPECT_EQ(all_.TakeAboveLimit("10.0.0.1", After(1099)), nullptr);
  EXPECT_EQ(all_.TakeOldest(After(1099)), nullptr);
  EXPECT_EQ(all_.TakeAboveLimit("10.0.0.1", After(1100)), &At(0));
}

TEST_F(UnauthorisedTest, AuthorisedConnectionIsNotTaken) {
  for (int i = 0; i < 3; ++i) all_.Add(At(i), "10.0.0.1", After(i));
  all_.Remove(At(0));
  EXPECT_EQ(all_.TakeAboveLimit("10.0.0.1", After(5000)), nullptr);
  EXPECT_EQ(all_.TakeOldest(After(5000)), &At(1));
  EXPECT_EQ(all_.TakeOldest(After(5000)), &At(2));
  EXPECT_EQ(all_.TakeOldest(After(5000)), nullptr);
}

TEST_F(UnauthorisedTest, RemovingAnUnknownConnectionChangesNothing) {
  all_.Add(At(0), "10.0.0.1", After(0));
  all_.Remove(At(1));
  EXPECT_TRUE(all_.Has(At(0)));
}

}  // namespace
}  // namespace muster::http
