#include "model/staging.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

Staging Sample() {
  return {.token = "t",
          .attempt_dir = "/data/jobs/1/attempts/1",
          .data_dir = "/data",
          .cache_limit = 5,
          .inputs = {{"a", "s3://bkt/x", "/data/jobs/1/attempts/1/inputs/a", "x"}}};
}

TEST(StagingFormTest, RoundTrips) {
  const auto read = StagingFromJson(ToJsonObject(Sample()));
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->token, "t");
  EXPECT_EQ(read->attempt_dir, "/data/jobs/1/attempts/1");
  EXPECT_EQ(read->data_dir, "/data");
  EXPECT_EQ(read->cache_limit, 5);
  ASSERT_EQ(read->inputs.size(), 1u);
  EXPECT_EQ(read->inputs[0].name, "a");
  EXPECT_EQ(read->inputs[0].url, "s3://bkt/x");
  EXPECT_EQ(read->inputs[0].folder, "/data/jobs/1/attempts/1/inputs/a");
  EXPECT_EQ(read->inputs[0].leaf, "x");
}

TEST(StagingFormTest, IncompleteDocumentIsRefused) {
  EXPECT_EQ(StagingFromJson(json::array{}).error().code, Code::kCorrupt);
  for (const char* key : {"token", "attempt_dir", "data_dir"}) {
    json::object document = ToJsonObject(Sample());
    document.erase(key);
    EXPECT_EQ(StagingFromJson(document).error().code, Code::kCorrupt) << key;
  }
  json::object newer = ToJsonObject(Sample());
  newer["version"] = 2;
  EXPECT_EQ(StagingFromJson(newer).error().code, Code::kInvalid);
  json::object bare = ToJsonObject(Sample());
  bare["inputs"] = json::array{json::object{{"name", "a"}}};
  EXPECT_EQ(StagingFromJson(bare).error().code, Code::kCorrupt);
}

}  // namespace
}  // namespace muster
