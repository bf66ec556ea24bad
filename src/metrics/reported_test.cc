#include "metrics/reported.h"

#include <cmath>

#include <gmock/gmock.h>

namespace muster::metrics {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Reported, KeepsAnyNameWithItsStep) {
  Reported reported;
  EXPECT_TRUE(reported.Take(R"({"loss": 0.5, "reward/mean": 12, "step": 10})"));
  EXPECT_FALSE(reported.Take(R"({"loss": 0.5, "reward/mean": 12, "step": 10})"));
  EXPECT_TRUE(reported.Take(R"({"step": 20, "loss": 0.25})"));
  EXPECT_EQ(reported.measured().values,
            (Values{{"step", 20}, {"loss", 0.25}, {"reward/mean", 12}}));
  EXPECT_EQ(reported.measured().at.at("reward/mean").step, 10);
  EXPECT_EQ(reported.measured().at.at("loss").step, 20);
  EXPECT_THAT(reported.fault(), IsEmpty());
}

TEST(Reported, NanAndInfinityOfPythonAreValues) {
  Reported reported;
  EXPECT_TRUE(reported.Take(R"({"loss": NaN, "a": -Infinity, "text NaN": "b", "s": "nan"})"));
  EXPECT_TRUE(std::isnan(reported.measured().values.at("loss")));
  EXPECT_TRUE(std::isnan(reported.measured().values.at("s")));
  EXPECT_EQ(reported.measured().values.at("a"), -std::numeric_limits<double>::infinity());
  EXPECT_FALSE(reported.measured().values.contains("text NaN")) << "text is no value";
}

TEST(Reported, LineThatIsNoObjectIsAFaultAndTheNextOneIsRead) {
  for (const char* text : {"loss 0.5", "[1]", "{\"loss\": }", "{\"loss\": 1} x", "\x1b[31m"}) {
    Reported reported;
    EXPECT_FALSE(reported.Take(text));
    EXPECT_THAT(reported.fault(), HasSubstr("it is not a JSON object such as")) << text;
    EXPECT_FALSE(reported.fault().contains('\x1b'));
    EXPECT_TRUE(reported.Take(R"({"loss": 0.5})"));
  }
}

TEST(Reported, TooManyOrTooLongNamesAreAFault) {
  Reported reported;
  for (int i = 0; i < 100; ++i) reported.Take("{\"n" + std::to_string(i) + "\": 1}");
  EXPECT_THAT(reported.measured().values, SizeIs(64));
  EXPECT_THAT(reported.fault(), HasSubstr("more than 64 names"));
  Reported other;
  EXPECT_FALSE(other.Take("{\"" + std::string(65, 'x') + "\": 1}"));
  EXPECT_THAT(other.fault(), HasSubstr("longer than 64 bytes"));
}

TEST(Reported, OnlyTheLowestRankOfSharedFilesCounts) {
  Reported reported;
  EXPECT_TRUE(reported.Take(R"({"rank": 1, "loss": 0.9, "extra": 1})"));
  EXPECT_TRUE(reported.Take(R"({"rank": 0, "loss": 0.5})"));
  EXPECT_FALSE(reported.Take(R"({"rank": 1, "loss": 0.8})"));
  EXPECT_EQ(reported.measured().values, (Values{{"loss", 0.5}}));
}

TEST(Merge, ReportedValuesReplaceThoseOfTheOutput) {
  Measured output{.values = {{"step", 40}, {"loss", 9}, {"accuracy", 0.5}},
                  .at = {{"loss", {.step = 40, .epoch = {}}}}};
  Measured reported;
  PutValue(reported, "step", 30);
  PutValue(reported, "loss", 0.5);
  PutValue(reported, "reward", 12.25);
  const Measured merged = Merge(output, reported);
  EXPECT_EQ(merged.values,
            (Values{{"step", 30}, {"loss", 0.5}, {"accuracy", 0.5}, {"reward", 12.25}}));
  EXPECT_EQ(ProgressText(merged), "step 30 · loss 0.5 · accuracy 50.0 % · reward 12.25");
  EXPECT_TRUE(Same(MeasuredFromJson(MeasuredToJson(merged)),
                   {.values = merged.values, .at = {}, .reported = merged.reported}));
}

}  // namespace
}  // namespace muster::metrics
