#include "dialect/staging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::dialect {
namespace {

Places PlacesHere() {
  Places places;
  places.job_dir = "/data/jobs/7";
  places.attempt_dir = "/data/jobs/7/attempts/1";
  places.data_dir = "/data";
  places.cache_limit = 9;
  return places;
}

JobSpec Far() {
  JobSpec spec;
  spec.inputs = {
      {"near", "/x"}, {"set", "s3://bkt/cifar-10/"}, {"weights", "obs://bkt/w/resnet.ckpt"}};
  return spec;
}

TEST(StagingTest, FetchedInputsAreInTheFolderOfTheAttempt) {
  const JobSpec spec = Far();
  const Places places = PlacesHere();
  EXPECT_EQ(InputPath(spec, spec.inputs[0], places), "/x");
  EXPECT_EQ(InputPath(spec, spec.inputs[1], places), "/data/jobs/7/attempts/1/inputs/set");
  EXPECT_EQ(InputPath(spec, spec.inputs[2], places),
            "/data/jobs/7/attempts/1/inputs/weights/resnet.ckpt");
}

TEST(StagingTest, OnlyFetchedInputsAreOrdered) {
  const auto staging = StagingOf(Far(), PlacesHere());
  ASSERT_TRUE(staging);
  EXPECT_EQ(staging->data_dir, "/data");
  EXPECT_EQ(staging->cache_limit, 9);
  ASSERT_EQ(staging->inputs.size(), 2u);
  EXPECT_EQ(staging->inputs[0].folder, "/data/jobs/7/attempts/1/inputs/set");
  EXPECT_EQ(staging->inputs[0].leaf, "");
  EXPECT_EQ(staging->inputs[1].leaf, "resnet.ckpt");
  JobSpec near;
  near.inputs = {{"a", "/x"}};
  EXPECT_FALSE(StagingOf(near, PlacesHere()));
}

TEST(StagingTest, BucketsOfResultsAreCheckedBeforehand) {
  JobSpec spec;
  spec.published = {{.name = "here", .to = "/x"},
                    {.name = "far", .to = "s3://bkt/out/${job_id}/", .overwrite = true}};
  spec.logs = "obs://bkt/log/";
  const auto staging = StagingOf(spec, PlacesHere());
  ASSERT_TRUE(staging);
  EXPECT_TRUE(staging->inputs.empty());
  ASSERT_EQ(staging->destinations.size(), 3u);
  EXPECT_EQ(staging->destinations[0].url, "/x");
  EXPECT_EQ(staging->destinations[1].name, "far");
  EXPECT_EQ(staging->destinations[1].url, "s3://bkt/out/0/");
  EXPECT_TRUE(staging->destinations[1].overwrite);
  EXPECT_EQ(staging->destinations[2].name, "");
  EXPECT_EQ(staging->destinations[2].url, "obs://bkt/log/");
  Staging whole = *staging;
  whole.token = "t";
  const auto again = StagingFromJson(ToJsonObject(whole));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->destinations[1].url, "s3://bkt/out/0/");
  EXPECT_TRUE(again->destinations[1].overwrite);
  EXPECT_FALSE(again->destinations[0].overwrite);
  spec.published.clear();
  spec.logs = "/var/log/jobs";
  EXPECT_FALSE(StagingOf(spec, PlacesHere()));
}

TEST(StagingTest, NamesWithSlashesStayDistinct) {
  JobSpec spec;
  spec.inputs = {{"a_b", "s3://bkt/x/"}, {"a/b", "s3://bkt/y/"}, {"a/../b", "s3://bkt/z/"}};
  const auto staging = StagingOf(spec, PlacesHere());
  ASSERT_TRUE(staging);
  EXPECT_EQ(staging->inputs[0].folder, "/data/jobs/7/attempts/1/inputs/a_b");
  EXPECT_EQ(staging->inputs[1].folder, "/data/jobs/7/attempts/1/inputs/a_b_1");
  EXPECT_EQ(staging->inputs[2].folder, "/data/jobs/7/attempts/1/inputs/a_.._b_2");
}

TEST(StagingTest, FirstGenerationOfModelArtsPassesUrls) {
  JobSpec spec = Far();
  spec.platform = "modelarts-v1";
  EXPECT_FALSE(StagingOf(spec, PlacesHere()));
  EXPECT_EQ(InputPath(spec, spec.inputs[1], PlacesHere()), "s3://bkt/cifar-10/");
}

}  // namespace
}  // namespace muster::dialect
