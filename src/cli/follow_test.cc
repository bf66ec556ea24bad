#include "cli/follow.h"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/log_view.h"
#include "cli/testing/capture_screen.h"
#include "cli/testing/fake_client.h"

namespace muster::cli {
namespace {

using testing::HasSubstr;

std::string LogEvent(const std::string& id, const std::string& text) {
  return "id: " + id + "\nevent: log\ndata: " +
         ToJson(json::object{{"attempt", 1}, {"rank", 0}, {"offset", 0}, {"text", text}}) + "\n\n";
}

const std::string kEnd =
    "event: end\ndata: {\"state\":\"failed\",\"reason\":\"\",\"exit_code\":3}\n\n";

class FollowTest : public testing::Test {
 protected:
  FollowTest() : view_(screen_, clock_, LogViewOptions{}) {
    request_.target = "/jobs/1/logs?follow=1";
    request_.retry_ms = 1;
  }

  Api MakeApi() {
    return Api(
        server_.NewClient(),
        [this]() -> Result<std::unique_ptr<http::Client>> {
          if (++reopened_ <= refusals_) return Fail(Code::kUnavailable, "not yet");
          return server_.NewClient();
        },
        "http://127.0.0.1:1");
  }

  FakeServer server_;
  CaptureScreen screen_;
  FakeClock clock_;
  LogView view_;
  Interrupts interrupts_;
  FollowRequest request_;
  int reopened_ = 0, refusals_ = 0;
};

TEST_F(FollowTest, ShowsTheStreamToItsEnd) {
  server_.Add(
      {http::Response{}, {LogEvent("1;0:2", "a\n"), LogEvent("1;0:4", "b\n") + kEnd}, {}, 0});
  Api api = MakeApi();
  EXPECT_EQ(Follow(api, view_, interrupts_, request_).value(), Followed::kEnded);
  EXPECT_EQ(screen_.out, "a\nb\n");
  EXPECT_EQ(view_.end()->exit_code, 3);
  EXPECT_EQ(server_.asked()[0].target, "/api/v1/jobs/1/logs?follow=1");
}

TEST_F(FollowTest, ResumesAfterALostConnectionAndReportsItOnce) {
  refusals_ = 3;
  server_.Add({Fail(Code::kUnavailable, "reset"), {LogEvent("1;0:2", "a\n")}, {}, 0});
  server_.Add({Fail(Code::kTimeout, "silent"), {}, {}, 0});
  server_.Add({http::Response{}, {LogEvent("1;0:4", "b\n"), kEnd}, {}, 0});
  Api api = MakeApi();
  EXPECT_EQ(Follow(api, view_, interrupts_, request_).value(), Followed::kEnded);
  EXPECT_EQ(screen_.out, "a\nb\n");
  EXPECT_EQ(http::FindHeader(server_.asked()[2].headers, "Last-Event-ID"), "1;0:2");
  EXPECT_EQ(screen_.err,
            "muster: the server went away; its jobs go on; waiting for it to come back\n");
}

TEST_F(FollowTest, ReconnectsIfTheServerClosesEarly) {
  server_.Add({http::Response{}, {LogEvent("1;0:2", "a\n")}, {}, 0});
  server_.Add({http::Response{}, {kEnd}, {}, 0});
  Api api = MakeApi();
  EXPECT_EQ(Follow(api, view_, interrupts_, request_).value(), Followed::kEnded);
  EXPECT_EQ(server_.asked().size(), 2u);
}

TEST_F(FollowTest, WithoutFollowTheEndOfTheResponseIsTheEnd) {
  request_.follow = false;
  server_.Add({http::Response{}, {LogEvent("1;0:2", "a\n")}, {}, 0});
  Api api = MakeApi();
  EXPECT_EQ(Follow(api, view_, interrupts_, request_).value(), Followed::kComplete);
}

TEST_F(FollowTest, ErrorResponseIsAnError) {
  server_.Add(404, R"({"error":{"code":"not_found","message":"there is no job 1","next":""}})");
  Api api = MakeApi();
  const auto how = Follow(api, view_, interrupts_, request_);
  ASSERT_FALSE(how);
  EXPECT_EQ(how.error().code, Code::kNotFound);
  EXPECT_EQ(how.error().text, "there is no job 1");
}

TEST_F(FollowTest, CtrlCAsksAndMayContinue) {
  int asked = 0;
  request_.on_interrupt = [&] { return ++asked == 1; };
  server_.Add({http::Response{}, {LogEvent("1;0:2", "a\n")}, [] { raise(SIGINT); }, 2});
  server_.Add({http::Response{}, {LogEvent("1;0:4", "b\n")}, [] { raise(SIGINT); }, 1});
  Api api = MakeApi();
  EXPECT_EQ(Follow(api, view_, interrupts_, request_).value(), Followed::kLeft);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(screen_.out, "a\nb\n");
  EXPECT_EQ(screen_.err, "");
  EXPECT_EQ(http::FindHeader(server_.asked()[1].headers, "Last-Event-ID"), "1;0:2");
}

TEST_F(FollowTest, ClosedPipeEndsIt) {
  screen_.broken = true;
  server_.Add({http::Response{}, {LogEvent("1;0:2", "a\n")}, {}, 5});
  Api api = MakeApi();
  EXPECT_EQ(Follow(api, view_, interrupts_, request_).value(), Followed::kBroken);
}

}  // namespace
}  // namespace muster::cli
