#include "http/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::http {
namespace {

using testing::HasSubstr;

class RouterTest : public testing::Test {
 protected:
  RouterTest() {
    for (const auto& [method, pattern] : std::vector<std::pair<std::string, std::string>>{
             {"GET", "/"},
             {"GET", "/api/v1/jobs"},
             {"POST", "/api/v1/jobs"},
             {"GET", "/api/v1/jobs/{id}"},
             {"DELETE", "/api/v1/jobs/{id}"},
             {"GET", "/api/v1/jobs/{id}/ranks/{rank}/log"},
             {"PUT", "/api/v1/code/blobs/{sha256}"}}) {
      router_.Add({method, pattern, false, 0, {}, {}});
    }
  }
  std::string Found(const std::string& method, const std::string& path) const {
    const auto match = router_.Find(method, path);
    return match.route != nullptr ? match.route->method + " " + match.route->pattern : "none";
  }

  Router router_;
};

TEST_F(RouterTest, FindsRoutesByMethodAndPattern) {
  EXPECT_EQ(Found("GET", "/"), "GET /");
  EXPECT_EQ(Found("POST", "/api/v1/jobs"), "POST /api/v1/jobs");
  EXPECT_EQ(Found("DELETE", "/api/v1/jobs/17"), "DELETE /api/v1/jobs/{id}");
}

TEST_F(RouterTest, FillsParamsInOrder) {
  const auto match = router_.Find("GET", "/api/v1/jobs/17/ranks/3/log");
  ASSERT_NE(match.route, nullptr);
  EXPECT_THAT(match.params,
              testing::ElementsAre(testing::Pair("id", "17"), testing::Pair("rank", "3")));
}

TEST_F(RouterTest, GetRouteAnswersHead) {
  EXPECT_EQ(Found("HEAD", "/api/v1/jobs/17"), "GET /api/v1/jobs/{id}");
  EXPECT_EQ(Found("HEAD", "/api/v1/code/blobs/00"), "none");
}

TEST_F(RouterTest, ParamMatchesOneNonEmptyComponent) {
  EXPECT_EQ(Found("GET", "/api/v1/jobs/"), "none");
  EXPECT_EQ(Found("GET", "/api/v1/jobs/17/"), "none");
  EXPECT_EQ(Found("GET", "/api/v1/jobs/17/ranks"), "none");
}

TEST_F(RouterTest, UnknownPathIs404WithASuggestion) {
  const auto match = router_.Find("GET", "/api/v1/job/17");
  EXPECT_EQ(match.error.status, 404);
  EXPECT_THAT(match.error.body, HasSubstr("did you mean /api/v1/jobs/17?"));
}

TEST_F(RouterTest, VeryDifferentPathIs404WithoutASuggestion) {
  const auto match = router_.Find("GET", "/wp-login.php");
  EXPECT_EQ(match.error.status, 404);
  EXPECT_THAT(match.error.body, testing::Not(HasSubstr("did you mean")));
}

TEST_F(RouterTest, OtherMethodIs405WithAllow) {
  const auto match = router_.Find("PATCH", "/api/v1/jobs/17");
  EXPECT_EQ(match.error.status, 405);
  EXPECT_EQ(FindHeader(match.error.headers, "Allow"), "DELETE, GET, HEAD");
}

TEST_F(RouterTest, HugePathIsShortenedInTheError) {
  const auto match = router_.Find("GET", "/" + std::string(30'000, 'a'));
  EXPECT_EQ(match.error.status, 404);
  EXPECT_LT(match.error.body.size(), 1000u);
}

}  // namespace
}  // namespace muster::http
