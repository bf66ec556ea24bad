#include "api/schemas.h"

#include <gmock/gmock.h>

#include "api/body.h"

namespace muster::api {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<Fault> Check(std::string_view text, std::string_view name) {
  return CheckSchema(*ParseJson(text), name);
}

// Every $ref resolves, and CheckSchema supports every keyword.
void Walk(const json::value& value, bool is_schema) {
  static const std::set<std::string_view> kKnown = {
      "type", "properties", "required",  "additionalProperties", "items", "$ref",
      "enum", "minimum",    "maxLength", "description"};
  if (const auto* array = value.if_array())
    for (const json::value& item : *array) Walk(item, false);
  const auto* object = value.if_object();
  if (object == nullptr) return;
  for (const auto& [key, member] : *object) {
    if (is_schema) EXPECT_TRUE(kKnown.contains(key)) << key;
    if (is_schema && key == "$ref") {
      const std::string_view reference = member.as_string();
      EXPECT_TRUE(Schemas().contains(reference.substr(reference.rfind('/') + 1))) << reference;
    }
    Walk(member, is_schema ? key != "properties" : true);
  }
}

TEST(SchemasTest, AreComplete) {
  EXPECT_GT(Schemas().size(), 20u);
  for (const auto& [name, schema] : Schemas()) Walk(schema, true);
}

TEST(CheckSchemaTest, ValidValuesPass) {
  EXPECT_THAT(Check(R"({"spec": {}, "user": "ada"})", "Submit"), IsEmpty());
  EXPECT_THAT(Check(R"({})", "Stop"), IsEmpty());
  EXPECT_THAT(Check(R"({"jobs": [], "next": null})", "JobList"), IsEmpty());
  EXPECT_THAT(Check(R"({"jobs": [], "next": 7})", "JobList"), IsEmpty());
}

TEST(CheckSchemaTest, EveryFaultHasItsPath) {
  const std::vector<Fault> faults = Check(R"({"spce": {}, "user": 5})", "Submit");
  ASSERT_THAT(faults, SizeIs(3));
  EXPECT_EQ(faults[0].path, "spec");
  EXPECT_EQ(faults[0].found, "nothing");
  EXPECT_EQ(faults[1].path, "spce");
  EXPECT_EQ(faults[1].hint, "did you mean spec?");
  EXPECT_EQ(faults[2].path, "user");
  EXPECT_EQ(faults[2].found, "integer");
  EXPECT_EQ(faults[2].expected, "string");
}

TEST(CheckSchemaTest, ListsAndReferencesAreChecked) {
  const std::vector<Fault> faults = Check(R"({"jobs": [{"id": "x"}], "next": null})", "JobList");
  EXPECT_THAT(faults, testing::Contains(testing::Field(&Fault::path, "jobs[0].id")));
  EXPECT_THAT(faults, testing::Contains(testing::Field(&Fault::path, "jobs[0].state")));
}

TEST(CheckSchemaTest, LimitsAndEnumsAreChecked) {
  EXPECT_THAT(Check(R"({"status": "bad"})", "Health"), SizeIs(1));
  EXPECT_THAT(CheckSchema(json::object{{"user", std::string(257, 'x')}}, "Asker"), SizeIs(1));
  EXPECT_THAT(Check("[]", "Asker"), SizeIs(1));
}

class BodyTest : public testing::Test {
 protected:
  int StatusOf(std::string body) {
    http::Request request;
    request.body = std::move(body);
    auto read = ReadBody(operation_, request);
    if (!read) answer_ = read.error().body;
    return read ? 200 : read.error().status;
  }
  Operation operation_{.method = "POST", .path = "/jobs", .body = "Submit"};
  std::string answer_;
};

TEST_F(BodyTest, OtherThanJsonObjectIsRejected) {
  for (const char* text :
       {"", "  ", "nonsense", "[]", "null", "{", "{\"spec\": {}} extra", "\"x\"",
        "{\"spec\": {}, \"spec\": {}}", "{\"spec\": {\"name\": \"\xff\"}}", "spec: {}"})
    EXPECT_EQ(StatusOf(text), 400) << text;
  EXPECT_EQ(StatusOf(R"({"spec": {}})"), 200);
}

TEST_F(BodyTest, DeepNestingIsRejected) {
  std::string deep = "{\"spec\":";
  for (int i = 0; i < 10'000; ++i) deep += "[";
  EXPECT_EQ(StatusOf(deep), 400);
  for (int i = 0; i < 10'000; ++i) deep += "]";
  EXPECT_EQ(StatusOf(deep + "}"), 400);
}

TEST_F(BodyTest, ResponseListsTheFaults) {
  EXPECT_EQ(StatusOf(R"({"spec": {}, "usr": "ada"})"), 400);
  const json::object error = ParseJson(answer_)->as_object().at("error").as_object();
  EXPECT_EQ(GetString(error, "code"), "invalid");
  EXPECT_EQ(GetString(error, "next"), "did you mean user?");
  EXPECT_THAT(GetString(error, "message"), HasSubstr("usr"));
  EXPECT_THAT(CheckSchema(*ParseJson(answer_), "Error"), IsEmpty());
}

TEST_F(BodyTest, AbsentOptionalBodyIsEmpty) {
  operation_.body = "Stop";
  operation_.body_needed = false;
  EXPECT_EQ(StatusOf(""), 200);
  EXPECT_EQ(StatusOf("{}"), 200);
  EXPECT_EQ(StatusOf("[]"), 400);
}

}  // namespace
}  // namespace muster::api
