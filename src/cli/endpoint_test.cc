#include "cli/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/temp_dir.h"

namespace muster::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class EndpointTest : public testing::Test {
 protected:
  EndpointTest() {
    wanted_.data = dir_.path();
    world_.probe = [this](const Endpoint& endpoint) -> Status {
      probed_.push_back(endpoint.url);
      if (answer_) return {};
      return std::unexpected(*failure_);
    };
    world_.is_alive = [this](int) { return alive_; };
    world_.start = [this](const os::Path&) -> Result<Endpoint> {
      ++started_;
      return Endpoint{"http://127.0.0.1:9", "fresh", 99};
    };
    world_.say = [this](const std::string& text) { said_.push_back(text); };
  }

  void WriteEndpoint(mode_t mode = 0600) {
    dir_.Write("endpoint.json", R"({"url":"http://127.0.0.1:4711","token":"s3cret","pid":42})",
               mode);
  }
  void Fails(Code code) {
    answer_ = false;
    failure_ = Error{code, "nobody there", "", 0};
  }
  Result<Endpoint> Find() { return FindServer(wanted_, world_); }

  os::TempDir dir_;
  Wanted wanted_;
  World world_;
  bool answer_ = true, alive_ = true;
  std::optional<Error> failure_;
  int started_ = 0;
  std::vector<std::string> probed_, said_;
};

TEST_F(EndpointTest, UsesTheServerOfTheDataFolder) {
  WriteEndpoint();
  const auto endpoint = Find();
  ASSERT_TRUE(endpoint) << endpoint.error().text;
  EXPECT_EQ(endpoint->url, "http://127.0.0.1:4711");
  EXPECT_EQ(endpoint->token, "s3cret");
  EXPECT_EQ(started_, 0);
  EXPECT_TRUE(said_.empty());
}

TEST_F(EndpointTest, StartsAServerIfNoneRunsAndPrintsOneLine) {
  const auto endpoint = Find();
  ASSERT_TRUE(endpoint);
  EXPECT_EQ(endpoint->token, "fresh");
  EXPECT_EQ(started_, 1);
  ASSERT_EQ(said_.size(), 1u);
  EXPECT_THAT(said_[0], HasSubstr("http://127.0.0.1:9"));
  EXPECT_THAT(said_[0], Not(HasSubstr("fresh")));
}

TEST_F(EndpointTest, EndpointFileOfADeadServerIsIgnored) {
  WriteEndpoint();
  alive_ = false;
  EXPECT_EQ(Find()->token, "fresh");
  EXPECT_TRUE(probed_.empty());  // the token must not be sent to another process on that port
}

TEST_F(EndpointTest, RefusedConnectionMeansNoServer) {
  WriteEndpoint();
  Fails(Code::kUnavailable);
  EXPECT_EQ(Find()->token, "fresh");
}

TEST_F(EndpointTest, HangingServerIsAnErrorAndNotStartedAgain) {
  WriteEndpoint();
  Fails(Code::kTimeout);
  const auto endpoint = Find();
  ASSERT_FALSE(endpoint);
  EXPECT_EQ(started_, 0);
  EXPECT_THAT(endpoint.error().text, HasSubstr("pid 42"));
  EXPECT_THAT(endpoint.error().next, HasSubstr("server.log"));
}

TEST_F(EndpointTest, NoStartExplainsHowToStart) {
  wanted_.may_start = false;
  const auto endpoint = Find();
  ASSERT_FALSE(endpoint);
  EXPECT_EQ(endpoint.error().code, Code::kUnavailable);
  EXPECT_THAT(endpoint.error().next, HasSubstr("muster server --data"));
}

TEST_F(EndpointTest, FileReadableByOthersIsRejected) {
  WriteEndpoint(0644);
  const auto endpoint = Find();
  ASSERT_FALSE(endpoint);
  EXPECT_EQ(endpoint.error().code, Code::kDenied);
  EXPECT_THAT(endpoint.error().text, HasSubstr("644"));
  EXPECT_THAT(endpoint.error().next, HasSubstr("chmod 600"));
  EXPECT_THAT(endpoint.error().text, Not(HasSubstr("s3cret")));
}

TEST_F(EndpointTest, DamagedFileIsRejected) {
  for (const char* content : {"", "{", "[]", "{}", R"({"url":"http://x","token":""})",
                              R"({"url":"ftp://x","token":"t"})", R"({"url":7,"token":"t"})"}) {
    dir_.Write("endpoint.json", content, 0600);
    const auto endpoint = Find();
    ASSERT_FALSE(endpoint) << content;
    EXPECT_EQ(endpoint.error().code, Code::kCorrupt) << content;
  }
  EXPECT_EQ(started_, 0);
}

TEST_F(EndpointTest, NamedServerNeedsATokenAndIsNeverStarted) {
  wanted_.server = "https://cluster:8443/";
  EXPECT_EQ(Find().error().code, Code::kDenied);
  wanted_.token = "t";
  EXPECT_EQ(Find()->url, "https://cluster:8443");
  Fails(Code::kUnavailable);
  const auto endpoint = Find();
  ASSERT_FALSE(endpoint);
  EXPECT_THAT(endpoint.error().text, HasSubstr("https://cluster:8443"));
  EXPECT_EQ(started_, 0);
}

TEST_F(EndpointTest, NamedLocalServerFindsItsToken) {
  WriteEndpoint();
  wanted_.server = "127.0.0.1:4711";
  EXPECT_EQ(Find()->token, "s3cret");
}

TEST(NormalUrlTest, CommonFormsAreAcceptedAndOthersRejected) {
  EXPECT_EQ(NormalUrl("localhost:80").value(), "http://localhost:80");
  EXPECT_EQ(NormalUrl("http://[::1]:80//").value(), "http://[::1]:80");
  for (const char* text : {"", "http://", "ftp://x", "http://x/y", "http://u:p@x", "http://a b",
                           "http://x\r\nHost: y"})
    EXPECT_FALSE(NormalUrl(text)) << text;
}

}  // namespace
}  // namespace muster::cli
