#include "api/console/console.h"

#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/console/bundle.h"
#include "base/json.h"
#include "http/client.h"
#include "http/server.h"

namespace muster::api {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kToken = "sesame";

// index.html and one script, as console/tools/pack.mjs writes them.
std::string Packed() {
  const std::string data = "<html>GZBRalert(1)gzbr";
  const std::string index =
      R"({"index.html": {"type": "text/html; charset=utf-8", "plain": [0, 6], "gzip": [6, 2], "brotli": [8, 2]},
          "assets/main-1.js": {"type": "text/javascript", "plain": [10, 8], "gzip": [18, 2], "brotli": [20, 2]}})";
  return fmt::format("{:08}{}{}", index.size(), index, data);
}

http::Request RequestWith(std::string method, http::Headers headers) {
  http::Request request;
  request.method = std::move(method);
  request.headers = std::move(headers);
  return request;
}

std::string CookieOf(std::string_view set_cookie) {
  return std::string(set_cookie.substr(0, set_cookie.find(';')));
}

class SessionsTest : public testing::Test {
 protected:
  http::SignIn::Finding Check(std::string method, http::Headers more = {}) {
    http::Headers headers{{"Host", "localhost:8080"}, {"Cookie", "theme=dark; " + cookie_}};
    headers.insert(headers.end(), more.begin(), more.end());
    return sessions_.Check(RequestWith(std::move(method), std::move(headers)));
  }

  FakeClock clock_;
  Sessions sessions_{std::string(kToken), false, clock_};
  std::string cookie_ =
      CookieOf(sessions_.NewCookie(RequestWith("POST", {{"Host", "localhost:8080"}})));
};

using Finding = http::SignIn::Finding;

TEST_F(SessionsTest, CookieIsHttpOnlyAndStrictAndNamesThePort) {
  const std::string cookie = sessions_.NewCookie(RequestWith("POST", {{"Host", "localhost:8080"}}));
  EXPECT_THAT(cookie, StartsWith("muster_8080="));
  EXPECT_THAT(cookie, HasSubstr("; HttpOnly; SameSite=Strict;"));
  EXPECT_EQ(cookie.find("Secure"), cookie.npos);
  Sessions secure(std::string(kToken), true, clock_);
  EXPECT_THAT(secure.NewCookie(RequestWith("POST", {})), HasSubstr("; Secure"));
}

TEST_F(SessionsTest, ReadsNeedTheCookieAlone) {
  EXPECT_EQ(Check("GET"), Finding::kValid);
  EXPECT_EQ(Check("GET", {{"Sec-Fetch-Site", "same-origin"}}), Finding::kValid);
  EXPECT_EQ(Check("GET", {{"Sec-Fetch-Site", "same-site"}}), Finding::kForged);
  EXPECT_EQ(Check("GET", {{"Sec-Fetch-Site", "cross-site"}}), Finding::kForged);
}

TEST_F(SessionsTest, ChangesNeedTheHeaderOfTheConsole) {
  EXPECT_EQ(Check("POST"), Finding::kForged);
  EXPECT_EQ(Check("DELETE"), Finding::kForged);
  EXPECT_EQ(Check("POST", {{"X-Muster-Console", "1"}}), Finding::kValid);
  EXPECT_EQ(Check("POST", {{"X-Muster-Console", "1"}, {"Sec-Fetch-Site", "cross-site"}}),
            Finding::kForged);
}

TEST_F(SessionsTest, ChangedExpiredAndForeignCookiesAreNotValid) {
  const std::string good = cookie_;
  cookie_.back() = cookie_.back() == '0' ? '1' : '0';
  EXPECT_EQ(Check("GET"), Finding::kNone);
  cookie_ = "muster_8080=9" + good.substr(good.find('=') + 1);  // a later expiry
  EXPECT_EQ(Check("GET"), Finding::kNone);
  cookie_ = "muster_8081=" + good.substr(good.find('=') + 1);
  EXPECT_EQ(Check("GET"), Finding::kNone);
  cookie_ = good;
  Sessions other("another token", false, clock_);
  EXPECT_EQ(other.Check(RequestWith("GET", {{"Host", "localhost:8080"}, {"Cookie", good}})),
            Finding::kNone);
  clock_.Advance(Sessions::kSessionLifeMs);
  EXPECT_EQ(Check("GET"), Finding::kNone);
}

TEST_F(SessionsTest, SessionIsValidAfterARestartOfTheServer) {
  Sessions restarted(std::string(kToken), false, clock_);
  EXPECT_EQ(restarted.Check(RequestWith("GET", {{"Host", "localhost:8080"}, {"Cookie", cookie_}})),
            Finding::kValid);
}

TEST_F(SessionsTest, LinkWorksOnceAndExpires) {
  const std::string code = sessions_.AddLink("/jobs/17");
  EXPECT_EQ(sessions_.TakeLink(code), "/jobs/17");
  EXPECT_EQ(sessions_.TakeLink(code), std::nullopt);
  const std::string late = sessions_.AddLink("/");
  clock_.Advance(Sessions::kLinkLifeMs);
  EXPECT_EQ(sessions_.TakeLink(late), std::nullopt);
}

TEST(BundleTest, DamagedBundleIsAnErrorAndAnEmptyOneHasNoFiles) {
  EXPECT_TRUE(ReadBundle("")->empty());
  EXPECT_EQ(ReadBundle(Packed())->size(), 2u);
  EXPECT_FALSE(ReadBundle("00000009{}"));
  EXPECT_FALSE(ReadBundle("nonsense"));
  EXPECT_FALSE(ReadBundle(R"(00000055{"a": {"type": "", "plain": [0, 9], "gzip": [0, 0]}}     )"));
}

class ConsoleTest : public testing::Test {
 protected:
  void Start(std::string_view packed) {
    server_ = *http::Server::Create({.token = std::string(kToken), .sign_in = &sessions_}, router_);
    router_.Add(
        {.method = "POST",
         .pattern = "/api/v1/change",
         .handler = [](const http::Request&, http::Reply reply) { reply.Send({204, {}, {}}); }});
    ASSERT_TRUE(AddConsole(router_, sessions_, packed));
    thread_ = std::thread([this] { server_->Run(); });
  }
  ~ConsoleTest() override {
    server_->loop().Post([this] { server_->Shutdown(1000); });
    thread_.join();
  }

  http::Response Send(const std::string& method, const std::string& target, http::Headers headers,
                      std::string_view body = {}, std::string token = {}) {
    auto client = http::Client::Create({.url = server_->url(), .token = std::move(token)});
    auto response = (*client)->Send(method, target, body, headers);
    EXPECT_TRUE(response) << target;
    return response ? *std::move(response) : http::Response{};
  }
  static std::string Header(const http::Response& response, std::string_view name) {
    return std::string(http::FindHeader(response.headers, name));
  }

  std::string packed_ = Packed();
  SystemClock clock_;
  Sessions sessions_{std::string(kToken), false, clock_};
  http::Router router_;
  std::unique_ptr<http::Server> server_;
  std::thread thread_;
};

TEST_F(ConsoleTest, PagesHaveAStrictPolicyAndFilesAreCachedForever) {
  Start(packed_);
  for (const char* page : {"/", "/jobs", "/jobs/17", "/settings"}) {
    const http::Response response = Send("GET", page, {});
    EXPECT_EQ(response.status, 200) << page;
    EXPECT_EQ(response.body, "<html>");
    EXPECT_EQ(Header(response, "Cache-Control"), "no-cache");
    EXPECT_THAT(Header(response, "Content-Security-Policy"),
                HasSubstr("default-src 'none'; script-src 'self'; style-src 'self'"));
  }
  const http::Response script =
      Send("GET", "/assets/main-1.js", {{"Accept-Encoding", "gzip, br;q=0.5"}});
  EXPECT_EQ(script.body, "br");
  EXPECT_EQ(Header(script, "Content-Encoding"), "br");
  EXPECT_EQ(Header(script, "Cache-Control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(Send("GET", "/assets/main-1.js", {{"Accept-Encoding", "gzip, br;q=0"}}).body, "gz");
  EXPECT_EQ(Send("GET", "/assets/main-2.js", {}).status, 404);
}

TEST_F(ConsoleTest, WithoutABundleTheAddressNamesWhatIsMissing) {
  Start("");
  const http::Response response = Send("GET", "/", {});
  EXPECT_EQ(response.status, 404);
  EXPECT_THAT(response.body, HasSubstr("npm was not found"));
}

TEST_F(ConsoleTest, TokenSignsInAndTheCookieIsHeldToItsOrigin) {
  Start(packed_);
  const http::Response wrong =
      Send("POST", "/api/v1/console/session", {}, R"({"token": "nonsense"})");
  EXPECT_EQ(wrong.status, 401);
  EXPECT_EQ(Header(wrong, "Set-Cookie"), "");
  const http::Response right =
      Send("POST", "/api/v1/console/session", {}, R"({"token": " sesame\n"})");
  EXPECT_EQ(right.status, 204);
  const std::string cookie = CookieOf(Header(right, "Set-Cookie"));
  EXPECT_EQ(Send("POST", "/api/v1/change", {}).status, 401);
  EXPECT_EQ(Send("POST", "/api/v1/change", {{"Cookie", cookie}}).status, 403);
  EXPECT_EQ(Send("POST", "/api/v1/change", {{"Cookie", cookie}, {"X-Muster-Console", "1"}}).status,
            204);
  EXPECT_EQ(Send("POST", "/api/v1/change", {}, {}, "nonsense").status, 401);
}

TEST_F(ConsoleTest, LinkSignsInOnceAndLeadsToItsPage) {
  Start(packed_);
  EXPECT_EQ(Send("POST", "/api/v1/console/links", {}, "{}").status, 401);
  for (const char* bad : {R"({"path": "//evil.example"})", R"({"path": "https://evil.example"})"})
    EXPECT_EQ(Send("POST", "/api/v1/console/links", {}, bad, std::string(kToken)).status, 400);
  const http::Response link =
      Send("POST", "/api/v1/console/links", {}, R"({"path": "/jobs/17"})", std::string(kToken));
  ASSERT_EQ(link.status, 201);
  const std::string path(GetString(ParseJson(link.body)->as_object(), "path"));
  EXPECT_EQ(Send("HEAD", path, {}).status, 204);
  const http::Response first = Send("GET", path, {});
  EXPECT_EQ(first.status, 303);
  EXPECT_EQ(Header(first, "Location"), "/jobs/17");
  EXPECT_THAT(Header(first, "Set-Cookie"), HasSubstr("HttpOnly"));
  const http::Response second = Send("GET", path, {});
  EXPECT_EQ(Header(second, "Location"), "/signin?link=expired");
  EXPECT_EQ(Header(second, "Set-Cookie"), "");
}

}  // namespace
}  // namespace muster::api
