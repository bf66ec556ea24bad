#include "http/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::http {
namespace {

class GateTest : public testing::Test {
 protected:
  GateTest() {
    router_.Add({"GET", "/open", true, 0, {}, {}});
    router_.Add({"POST", "/jobs/{id}", false, 100, {}, {}});
  }
  // The status of the refusal; 0 if admitted.
  int Refusal(Request request, RequestFacts facts = {}) {
    const auto route = gate_.Admit(router_, facts, request);
    admitted_ = std::move(request);
    if (!route) refusal_ = route.error();
    return route ? 0 : route.error().status;
  }
  static Request Post(std::string target, Headers more = {}) {
    Request request{.method = "POST", .raw_target = std::move(target)};
    request.headers = {{"Host", "localhost:80"}, {"Authorization", "Bearer tok"}};
    request.headers.insert(request.headers.end(), more.begin(), more.end());
    return request;
  }

  Router router_;
  Gate gate_{"tok", true};
  Request admitted_;
  Response refusal_;
};

TEST_F(GateTest, FillsPathQueryAndParams) {
  ASSERT_EQ(Refusal(Post("/jobs/a%20b?x=1")), 0);
  EXPECT_EQ(admitted_.path, "/jobs/a b");
  EXPECT_EQ(admitted_.Param("id"), "a b");
  EXPECT_EQ(admitted_.Query("x"), "1");
}

TEST_F(GateTest, RequiresTheExactToken) {
  for (const char* good : {"Bearer tok", "bearer tok", "BEARER  tok"}) {
    EXPECT_TRUE(gate_.TokenMatches(good)) << good;
  }
  for (const char* bad : {"", "tok", "Bearer", "Bearer ", "Bearer to", "Bearer tokk",
                          "Bearer tok x", "Basic tok", "Bearertok", "Bearer TOK"}) {
    EXPECT_FALSE(gate_.TokenMatches(bad)) << bad;
  }
}

TEST_F(GateTest, EmptyTokenMatchesNothing) {
  const Gate gate("", true);
  EXPECT_FALSE(gate.TokenMatches(""));
  EXPECT_FALSE(gate.TokenMatches("Bearer "));
  EXPECT_FALSE(gate.TokenMatches("Bearer"));
}

TEST_F(GateTest, MissingTokenIs401WithTheScheme) {
  Request request{.method = "POST", .raw_target = "/jobs/1", .headers = {{"Host", "localhost"}}};
  ASSERT_EQ(Refusal(request), 401);
  EXPECT_EQ(FindHeader(refusal_.headers, "WWW-Authenticate"), "Bearer");
  EXPECT_THAT(refusal_.body, testing::HasSubstr("Authorization: Bearer TOKEN"));
}

TEST_F(GateTest, OpenRoutesNeedNoToken) {
  EXPECT_EQ(Refusal({.method = "GET", .raw_target = "/open", .headers = {{"Host", "127.0.0.1"}}}),
            0);
}

TEST_F(GateTest, OnLoopbackOnlyLoopbackHostNamesAreAccepted) {
  for (const char* good :
       {"localhost", "LOCALHOST:4711", "127.0.0.1:80", "127.8.9.1", "[::1]:80", "[::1]", ""}) {
    EXPECT_TRUE(gate_.HostAllowed(good)) << good;
  }
  for (const char* bad :
       {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "[::2]",
        "[", "::1", "0x7f.1", "127.1", "localhost@evil", ":80"}) {
    EXPECT_FALSE(gate_.HostAllowed(bad)) << bad;
  }
  EXPECT_TRUE(Gate("tok", false).HostAllowed("muster.example"));
}

TEST_F(GateTest, ForeignHostIs421EvenInTheAbsoluteForm) {
  Request request = Post("/jobs/1");
  request.headers[0].second = "evil.example";
  EXPECT_EQ(Refusal(request), 421);
  EXPECT_EQ(Refusal(Post("http://evil.example/jobs/1")), 421);
}

TEST_F(GateTest, Http11RequiresOneHostHeader) {
  EXPECT_EQ(Refusal({.method = "GET", .raw_target = "/open"}), 400);
  EXPECT_EQ(Refusal({.method = "GET", .raw_target = "/open"}, {.http11 = false}), 0);
  EXPECT_EQ(Refusal(Post("/jobs/1", {{"host", "localhost"}})), 400);
}

TEST_F(GateTest, BodyAboveTheLimitOfTheRouteIs413) {
  EXPECT_EQ(Refusal(Post("/jobs/1"), {.content_length = 100}), 0);
  EXPECT_EQ(Refusal(Post("/jobs/1"), {.content_length = 101}), 413);
  EXPECT_EQ(Refusal({.method = "GET", .raw_target = "/open", .headers = {{"Host", "localhost"}}},
                    {.content_length = 1}),
            413);
}

TEST_F(GateTest, UnknownExpectationsAreRefused) {
  EXPECT_EQ(Refusal(Post("/jobs/1", {{"Expect", "100-Continue"}})), 0);
  EXPECT_EQ(Refusal(Post("/jobs/1", {{"Expect", "200-ok"}})), 417);
}

TEST_F(GateTest, BadTargetsAndUnknownRoutesAreRefused) {
  EXPECT_EQ(Refusal(Post("/jobs/../x")), 400);
  EXPECT_EQ(Refusal(Post("/job/1")), 404);
  EXPECT_EQ(Refusal(Post("/open")), 405);
}

}  // namespace
}  // namespace muster::http
