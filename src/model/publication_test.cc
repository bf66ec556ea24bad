#include "model/publication.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

Publication Sample() {
  return {.job = 7,
          .attempt = 2,
          .job_name = "resnet",
          .state = "failed",
          .data_dir = "/data",
          .record_dir = "/data/jobs/7/attempts/2/publish/records",
          .outputs = {{"train_url", "/data/jobs/7/outputs/train_url", "s3://b/out/", 30'000}},
          .logs_to = "obs://b/log/",
          .logs = {{"/data/rank0.log", "modelarts-job-x-worker-0.log"}}};
}

TEST(Publication, RoundTrips) {
  const json::object written = ToJsonObject(Sample());
  const auto read = PublicationFromJson(written);
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(ToJsonObject(*read), written);
  EXPECT_EQ(read->outputs[0].sync_ms, 30'000);
  EXPECT_EQ(read->logs[0].name, "modelarts-job-x-worker-0.log");
}

TEST(Publication, OtherVersionIsRefusedByName) {
  json::object written = ToJsonObject(Sample());
  written["version"] = 9;
  const auto read = PublicationFromJson(written);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kInvalid);
  EXPECT_NE(read.error().text.find("version 9"), std::string::npos);
}

TEST(Publication, IncompleteDocumentIsRefused) {
  for (const char* missing : {"data_dir", "record_dir", "logs_to"}) {
    json::object written = ToJsonObject(Sample());
    written.erase(missing);
    EXPECT_FALSE(PublicationFromJson(written)) << missing;
  }
  json::object homeless = ToJsonObject(Sample());
  homeless["outputs"].get_array()[0].get_object().erase("to");
  EXPECT_FALSE(PublicationFromJson(homeless));
  homeless["outputs"] = json::array{3};
  EXPECT_FALSE(PublicationFromJson(homeless));
  EXPECT_FALSE(PublicationFromJson(json::value(nullptr)));
}

}  // namespace
}  // namespace muster
