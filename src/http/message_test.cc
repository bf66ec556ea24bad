#include "http/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::http {
namespace {

struct RecordingSink final : Reply::Sink {
  void Send(Response response) override { answers.push_back(std::move(response)); }
  void SendStream(Response head, std::unique_ptr<Stream>) override {
    answers.push_back(std::move(head));
  }
  void SendFile(Response head, FileBody) override { answers.push_back(std::move(head)); }
  std::vector<Response> answers;
};

TEST(FindHeader, IgnoresCaseAndReturnsTheFirst) {
  const Headers headers = {{"Content-TYPE", "a"}, {"content-type", "b"}};
  EXPECT_EQ(FindHeader(headers, "Content-Type"), "a");
  EXPECT_EQ(FindHeader(headers, "Content-Typ"), "");
}

TEST(Request, ParamAndQueryDistinguishAbsentFromEmpty) {
  Request request;
  request.params = {{"id", "17"}};
  request.query = {{"follow", ""}, {"tail", "5"}, {"tail", "6"}};
  EXPECT_EQ(request.Param("id"), "17");
  EXPECT_EQ(request.Param("rank"), "");
  EXPECT_EQ(request.Query("follow"), "");
  EXPECT_EQ(request.Query("tail"), "5");
  EXPECT_EQ(request.Query("limit"), std::nullopt);
}

TEST(ErrorResponse, HasCodeMessageAndNextStep) {
  const Response response = ErrorResponse({Code::kConflict, "job 3 runs", "stop it first"});
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(FindHeader(response.headers, "Content-Type"), "application/json");
  EXPECT_EQ(response.body,
            "{\"error\":{\"code\":\"conflict\",\"message\":\"job 3 runs\",\"next\":\"stop it "
            "first\"}}\n");
}

TEST(ErrorResponse, IsValidJsonForAnyText) {
  const Response response = ErrorResponse({Code::kInvalid, "bad \xff \"name\"\n", ""});
  EXPECT_TRUE(ParseJson(response.body)) << response.body;
}

TEST(StatusOf, EveryCodeIsAnErrorStatus) {
  for (int code = 0; code <= static_cast<int>(Code::kInternal); ++code) {
    EXPECT_GE(StatusOf(static_cast<Code>(code)), 400);
    EXPECT_LT(StatusOf(static_cast<Code>(code)), 600);
  }
}

TEST(Reply, RespondsOnce) {
  const auto sink = std::make_shared<RecordingSink>();
  {
    Reply reply(sink);
    reply.Send({201, {}, "a"});
    reply.Send({202, {}, "b"});
  }
  ASSERT_EQ(sink->answers.size(), 1u);
  EXPECT_EQ(sink->answers[0].status, 201);
}

TEST(Reply, DestroyedReplySends500) {
  const auto sink = std::make_shared<RecordingSink>();
  {
    const Reply reply(sink);
  }
  ASSERT_EQ(sink->answers.size(), 1u);
  EXPECT_EQ(sink->answers[0].status, 500);
}

TEST(Reply, MovedFromReplySendsNothing) {
  const auto sink = std::make_shared<RecordingSink>();
  {
    Reply first(sink);
    Reply second(std::move(first));
    second.SendStream({200, {}, {}}, nullptr);
  }
  EXPECT_EQ(sink->answers.size(), 1u);
}

TEST(Reply, ReplacedReplySends500) {
  const auto old_sink = std::make_shared<RecordingSink>();
  const auto new_sink = std::make_shared<RecordingSink>();
  Reply reply(old_sink);
  reply = Reply(new_sink);
  ASSERT_EQ(old_sink->answers.size(), 1u);
  EXPECT_EQ(old_sink->answers[0].status, 500);
  EXPECT_TRUE(new_sink->answers.empty());
  reply.Send({});
  EXPECT_EQ(new_sink->answers.size(), 1u);
}

}  // namespace
}  // namespace muster::http
