#include "api/params.h"

#include <gmock/gmock.h>

namespace muster::api {
namespace {

using Kind = Param::Kind;
using testing::HasSubstr;

Operation List() {
  return {.method = "GET",
          .path = "/jobs/{id}/x/{sha256}",
          .query = {{"limit", Kind::kInt, "", 1, 1000},
                    {"before", Kind::kInt, "", 1},
                    {"state", Kind::kStates, ""},
                    {"name", Kind::kText, ""},
                    {"follow", Kind::kFlag, ""}},
          .takes_key = true};
}

http::Request Asked(std::vector<std::pair<std::string, std::string>> query) {
  http::Request request;
  request.query = std::move(query);
  request.params = {{"id", "17"}, {"sha256", std::string(64, 'a')}};
  return request;
}

Error Refused(const http::Request& request) {
  const Status status = CheckParams(List(), request);
  EXPECT_FALSE(status);
  if (status) return {};
  EXPECT_EQ(status.error().code, Code::kInvalid);
  return status.error();
}

TEST(ParamsTest, LetsGoodValuesThrough) {
  const http::Request request = Asked({{"limit", "1000"},
                                       {"before", "9223372036854775807"},
                                       {"state", "queued,running"},
                                       {"name", ""},
                                       {"follow", "1"}});
  ASSERT_TRUE(CheckParams(List(), request));
  EXPECT_EQ(PathInt(request, "id"), 17);
  EXPECT_EQ(QueryInt(request, "limit"), 1000);
  EXPECT_EQ(QueryInt(request, "tail"), std::nullopt);
  EXPECT_TRUE(QueryFlag(request, "follow"));
  EXPECT_THAT(QueryStates(request, "state"), testing::ElementsAre(State::kQueued, State::kRunning));
}

TEST(ParamsTest, RefusesNumbersOutOfRangeOrNone) {
  for (const char* text : {"0", "1001", "-1", "", " 1", "1 ", "1.5", "0x10", "99999999999999999999",
                           "ten", "1\n", "+1"}) {
    EXPECT_THAT(Refused(Asked({{"limit", text}})).text, HasSubstr("between 1 and 1000")) << text;
  }
  EXPECT_THAT(Refused(Asked({{"before", "0"}})).text, HasSubstr("1 or more"));
}

TEST(ParamsTest, RefusesUnknownNamesWithAGuess) {
  EXPECT_EQ(Refused(Asked({{"limt", "5"}})).next, "did you mean limit?");
  EXPECT_EQ(Refused(Asked({{"zzzzzz", "5"}})).next, "it takes limit, before, state, name, follow");
}

TEST(ParamsTest, RefusesANameGivenTwice) {
  EXPECT_THAT(Refused(Asked({{"limit", "5"}, {"limit", "6"}})).text, HasSubstr("twice"));
}

TEST(ParamsTest, RefusesStatesThatAreNoneWithAGuess) {
  EXPECT_EQ(Refused(Asked({{"state", "runing"}})).next, "did you mean running?");
  EXPECT_NE(Refused(Asked({{"state", "queued,"}})).next, "");
}

TEST(ParamsTest, RefusesTextsThatAreTooLongOrNotUtf8) {
  EXPECT_THAT(Refused(Asked({{"name", std::string(257, 'x')}})).text, HasSubstr("257"));
  EXPECT_THAT(Refused(Asked({{"name", "\xff"}})).text, HasSubstr("UTF-8"));
}

TEST(ParamsTest, RefusesFlagsThatAreNeither) {
  EXPECT_THAT(Refused(Asked({{"follow", "yes"}})).text, HasSubstr("1 or 0"));
  EXPECT_THAT(Refused(Asked({{"follow", ""}})).text, HasSubstr("1 or 0"));
}

TEST(ParamsTest, RefusesIdsThatAreNoNumbers) {
  for (const char* id : {"abc", "0", "-1", "1e3", "", "99999999999999999999"}) {
    http::Request request = Asked({});
    request.params[0].second = id;
    EXPECT_THAT(Refused(request).text, HasSubstr("id is")) << id;
  }
}

TEST(ParamsTest, RefusesSumsThatAreNone) {
  for (const std::string& sum : {std::string(63, 'a'), std::string(64, 'A'), std::string(64, 'g'),
                                 std::string(65, 'a'), std::string("../../etc")}) {
    http::Request request = Asked({});
    request.params[1].second = sum;
    EXPECT_THAT(Refused(request).text, HasSubstr("64 lower-case hex digits")) << sum;
  }
}

TEST(ParamsTest, NeverEchoesControlCharactersOrEndlessText) {
  const Error error = Refused(Asked({{"\x1b[31m" + std::string(5000, 'x'), "1"}}));
  EXPECT_LT(error.text.size(), 200u);
  EXPECT_EQ(error.text.find('\x1b'), std::string::npos);
}

TEST(ParamsTest, HoldsTheIdempotencyKeyToItsForm) {
  http::Request request = Asked({});
  request.headers = {{"idempotency-key", std::string(128, 'k')}};
  EXPECT_TRUE(CheckParams(List(), request));
  EXPECT_EQ(IdempotencyKey(request), std::string(128, 'k'));
  for (const std::string& key :
       {std::string(129, 'k'), std::string("a b"), std::string("a\x01"), std::string("\xc3\xa9")}) {
    request.headers = {{"Idempotency-Key", key}};
    EXPECT_THAT(Refused(request).text, HasSubstr("Idempotency-Key"));
  }
}

}  // namespace
}  // namespace muster::api
