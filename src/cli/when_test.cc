#include "cli/when.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

TEST(ParseWhen, ReadsDurationsAndDates) {
  EXPECT_EQ(ParseWhen("10m", 1'000'000).value(), 400'000);
  EXPECT_EQ(ParseWhen("2026-01-31T14:05:09Z", 0).value(), 1'769'868'309'000);
  EXPECT_EQ(ParseWhen("2026-01-31 14:05Z", 0).value(), 1'769'868'300'000);
  const auto day = ParseWhen("2026-01-31", 0), hour = ParseWhen("2026-01-31 01:00", 0);
  EXPECT_EQ(hour.value() - day.value(), 3'600'000) << "local time";
}

TEST(ParseWhen, RefusesOtherText) {
  for (const char* text : {"", "yesterday", "2026-13-01", "2026-01-31 14:05 x", "Z", "-5m"})
    EXPECT_EQ(ParseWhen(text, 0).error().code, Code::kInvalid) << text;
}

}  // namespace
}  // namespace muster::cli
