#include "cli/copy_screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(CopyScreenTest, ProgressHasRateAndTimeLeft) {
  const transfer::Tally tally{.found = 10,
                              .found_bytes = 1000 << 10,
                              .listed = true,
                              .ended = 4,
                              .ended_bytes = 500 << 10,
                              .moved_bytes = 0};
  const std::string text = ProgressText(tally, 100 << 10);
  EXPECT_THAT(text, HasSubstr("4/10 objects"));
  EXPECT_THAT(text, HasSubstr("100 KiB/s"));
  EXPECT_THAT(text, HasSubstr("5.0s left"));
}

TEST(CopyScreenTest, TimeLeftIsUnknownDuringTheListing) {
  const std::string text = ProgressText({.found = 10, .found_bytes = 1, .listed = false}, 1);
  EXPECT_THAT(text, HasSubstr("0/10+ objects"));
  EXPECT_THAT(text, Not(HasSubstr("left")));
}

TEST(CopyScreenTest, SummaryNamesTheVerification) {
  transfer::Summary summary;
  summary.copied = 3;
  summary.bytes = 3 << 20;
  summary.ms = 1000;
  summary.checked = {0, 1, 0, 0, 2};
  summary.skipped = 2;
  summary.deleted = 1;
  summary.retries = 1;
  const std::string text = SummaryText(summary, false);
  EXPECT_THAT(text, HasSubstr("copied 3 objects, 3 MiB in 1.0s (3 MiB/s), checked: 2 crc, "
                              "1 length\n"));
  EXPECT_THAT(text, HasSubstr("left 2 objects as they were"));
  EXPECT_THAT(text, HasSubstr("deleted 1 object\n"));
  EXPECT_THAT(text, HasSubstr("tried 1 request again"));
  EXPECT_THAT(SummaryText(summary, true), HasSubstr("would copy 3 objects"));
}

TEST(CopyScreenTest, RateCountsBytesOfThisRun) {
  transfer::Summary summary;
  summary.copied = 2;
  summary.bytes = 30 << 20;
  summary.resumed_bytes = 25 << 20;
  summary.gone_on_with = 1;
  summary.done_before = 4;
  summary.skipped = 4;
  summary.ms = 6000;
  EXPECT_THAT(SummaryText(summary, false),
              HasSubstr("copied 2 objects, 30 MiB in 6.0s (5 MiB/s), after 25 MiB of an earlier "
                        "run\nleft 4 objects as an earlier run had done them"));
  const json::object object = SummaryJson(summary);
  EXPECT_EQ(object.at("bytes"), 30 << 20);
  EXPECT_EQ(object.at("resumed"), 5);
  EXPECT_EQ(object.at("resumed_bytes"), 25 << 20);
}

TEST(CopyScreenTest, RetryIsSuggestedOnlyIfItMayHelp) {
  transfer::Summary summary;
  EXPECT_EQ(FailureText(summary), "");
  summary.failed = 12;
  EXPECT_EQ(FailureText(summary), "muster: 12 objects could not be copied\n");
  summary.passing = 1;
  EXPECT_THAT(FailureText(summary), HasSubstr("same command again"));
}

TEST(CopyScreenTest, JsonHasEveryCountAndFailure) {
  transfer::Summary summary;
  summary.failed = 1;
  summary.failures.push_back({"a", "b", {Code::kDenied, "cannot", "do this", 0}});
  const json::object object = SummaryJson(summary);
  EXPECT_EQ(object.at("failed"), 1);
  EXPECT_EQ(object.at("failures").at(0).at("code"), "denied");
  EXPECT_EQ(object.at("checked").as_object().size(), 5u);
}

}  // namespace
}  // namespace muster::cli
