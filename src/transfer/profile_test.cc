#include "transfer/profile.h"

#include <gmock/gmock.h>

namespace muster::transfer {
namespace {

using testing::HasSubstr;
using testing::Not;

ProfileSources Everything() {
  ProfileSources sources;
  sources.profiles_path = "/home/me/profiles.yaml";
  sources.profiles =
      "profiles:\n  minio: {endpoint: 'http://m:9000/', access_key: MA, secret_key: MS}\n"
      "  obs: {endpoint: 'https://obs.cn-north-4.myhuaweicloud.com', access_key: OA, secret_key: "
      "OS, region: cn-north-4}\n";
  sources.aws_config =
      "[default]\nregion=eu-1\n[profile work]\nregion=eu-2\ns3 =\n"
      "  addressing_style = path\n";
  sources.aws_credentials =
      "[default]\naws_access_key_id=DA\naws_secret_access_key=DS\n"
      "[work]\naws_access_key_id=WA\naws_secret_access_key=WS\naws_session_token=WT\n";
  sources.server =
      R"({"url":"http://127.0.0.1:1","token":"t","s3":{"endpoint":"http://127.0.0.1:2",
          "access_key":"SA","secret_key":"SS","region":"us-east-1"}})";
  return sources;
}

TEST(ChooseProfile, DefaultIsTheStoreOfTheRunningServer) {
  const auto profile = ChooseProfile(Everything());
  ASSERT_TRUE(profile) << profile.error().text;
  EXPECT_EQ(profile->endpoint, "http://127.0.0.1:2");
  EXPECT_EQ(profile->access_key, "SA");
  EXPECT_TRUE(profile->path_style);
}

TEST(ChooseProfile, AwsKeysWithoutEndpointDoNotChangeTheDefault) {
  auto sources = Everything();
  sources.environment = {{"AWS_ACCESS_KEY_ID", "EA"}, {"AWS_SECRET_ACCESS_KEY", "ES"}};
  EXPECT_EQ(ChooseProfile(sources)->access_key, "SA");
}

TEST(ChooseProfile, NameIsSearchedInProfilesThenInAws) {
  auto sources = Everything();
  sources.wanted = "minio";
  EXPECT_EQ(ChooseProfile(sources)->endpoint, "http://m:9000");
  sources.wanted = "work";
  const auto work = ChooseProfile(sources);
  EXPECT_EQ(work->endpoint, "https://s3.eu-2.amazonaws.com");
  EXPECT_EQ(work->session_token, "WT");
  EXPECT_TRUE(work->path_style);  // set in the profile
  sources.wanted = "default";
  EXPECT_FALSE(ChooseProfile(sources)->path_style);  // amazonaws.com
}

TEST(ChooseProfile, ObsUsesVirtualHostAddressing) {
  auto sources = Everything();
  sources.wanted = "obs";
  EXPECT_FALSE(ChooseProfile(sources)->path_style);
  sources.style = "path";
  EXPECT_TRUE(ChooseProfile(sources)->path_style);
}

TEST(ChooseProfile, EndpointOfTheEnvironmentUsesItsKeys) {
  auto sources = Everything();
  sources.environment = {{"AWS_ENDPOINT_URL", "http://e:1"},
                         {"AWS_ACCESS_KEY_ID", "EA"},
                         {"AWS_SECRET_ACCESS_KEY", "ES"},
                         {"AWS_REGION", "r"}};
  const auto profile = ChooseProfile(sources);
  EXPECT_EQ(profile->endpoint, "http://e:1");
  EXPECT_EQ(profile->access_key, "EA");
  EXPECT_EQ(profile->region, "r");
  sources.environment.erase("AWS_ACCESS_KEY_ID");
  EXPECT_EQ(ChooseProfile(sources)->access_key, "DA");  // from ~/.aws
}

TEST(ChooseProfile, EndpointOnTheCommandLineHasPrecedence) {
  auto sources = Everything();
  sources.environment = {{"AWS_ENDPOINT_URL", "http://e:1"}};
  sources.endpoint = "http://h:1";
  EXPECT_EQ(ChooseProfile(sources)->endpoint, "http://h:1");
}

TEST(ChooseProfile, AwsProfileVariableSelectsAProfile) {
  auto sources = Everything();
  sources.environment = {{"AWS_PROFILE", "work"}, {"AWS_ACCESS_KEY_ID", "EA"}};
  EXPECT_EQ(ChooseProfile(sources)->access_key, "WA");
  sources.environment["AWS_PROFILE"] = "nobody";
  EXPECT_EQ(ChooseProfile(sources).error().code, Code::kNotFound);
}

TEST(ChooseProfile, DefaultProfilePrecedesTheServer) {
  auto sources = Everything();
  sources.profiles += "  default: {endpoint: 'http://d:1', access_key: A, secret_key: S}\n";
  EXPECT_EQ(ChooseProfile(sources)->endpoint, "http://d:1");
}

TEST(ChooseProfile, IncompleteProfileIsReportedWithoutItsSecret) {
  auto sources = Everything();
  sources.wanted = "x";
  sources.profiles = "profiles: {x: {endpoint: 'http://m', secret_key: hush}}";
  const auto no_key = ChooseProfile(sources);
  EXPECT_THAT(no_key.error().text, HasSubstr("access key is missing"));
  EXPECT_THAT(no_key.error().text, Not(HasSubstr("hush")));
  sources.profiles = "profiles: {x: {endpont: 'http://m'}}";
  EXPECT_THAT(ChooseProfile(sources).error().next, HasSubstr("endpoint"));
  sources.profiles = "profiles: {x: {endpoint: 'ftp://m', access_key: a, secret_key: b}}";
  EXPECT_EQ(ChooseProfile(sources).error().code, Code::kInvalid);
  sources.profiles = "profiles: [";
  EXPECT_EQ(ChooseProfile(sources).error().code, Code::kInvalid);
  sources.wanted = "nobody";
  sources.profiles = "profiles: {minio: {}}";
  EXPECT_THAT(ChooseProfile(sources).error().next, HasSubstr("minio"));
}

TEST(ChooseProfile, ErrorWithoutAnyProfileNamesTheNextStep) {
  const auto profile = ChooseProfile({});
  EXPECT_EQ(profile.error().code, Code::kNotFound);
  EXPECT_THAT(profile.error().next, HasSubstr("muster server"));
  auto sources = Everything();
  sources.server = "{}";
  EXPECT_EQ(ChooseProfile(sources).error().code, Code::kNotFound);
}

}  // namespace
}  // namespace muster::transfer
