#include "api/log_position.h"

#include <gmock/gmock.h>

namespace muster::api {
namespace {

TEST(LogPositionTest, RoundTrips) {
  EXPECT_EQ(PositionText(2, {{0, 1834}, {1, 0}, {15, 77}}), "2;0:1834,1:0,15:77");
  EXPECT_EQ(*ParsePosition("2;0:1834,1:0,15:77"), (LogPosition{2, {{0, 1834}, {1, 0}, {15, 77}}}));
  EXPECT_EQ(*ParsePosition(PositionText(1, {})), (LogPosition{1, {}}));
}

TEST(LogPositionTest, InvalidTextIsRejected) {
  for (const char* text :
       {"", "1", ";", "x;0:1", "-1;0:1", "1;0", "1;0:", "1;:5", "1;0:-5", "1;0:1,", "1;0:1,0:2",
        "1;0:99999999999999999999", "99999999999;0:1", "1;0:1 ", "1;99999999999:1", "17"}) {
    const Result<LogPosition> position = ParsePosition(text);
    ASSERT_FALSE(position) << text;
    EXPECT_EQ(position.error().code, Code::kInvalid);
    EXPECT_NE(position.error().next, "");
  }
}

}  // namespace
}  // namespace muster::api
