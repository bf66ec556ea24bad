#include "objects/form_reader.h"

#include <gmock/gmock.h>

#include "objects/post_policy.h"
#include "objects/sample_requests.h"
#include "objects/signature.h"
#include "s3/digest.h"
#include "s3/time_text.h"

namespace muster::objects {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr std::string_view kBody =
    "--b\r\nContent-Disposition: form-data; name=\"Key\"\r\n\r\nuploads/${filename}\r\n"
    "--b\r\ncontent-disposition: form-data; name=acl\r\nContent-Type: text/plain\r\n\r\n\r\n"
    "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"C:\\dir\\a;b.txt\"\r\n"
    "Content-Type: text/csv\r\n\r\none\r\n--other\r\n--b\r\n"
    "Content-Disposition: form-data; name=\"late\"\r\n\r\nignored\r\n--b--\r\n";

struct Read {
  PostForm form;
  std::string file;
  S3Status status;
};

Read ReadForm(std::string_view body, size_t piece) {
  Read read;
  FormReader reader(
      "b",
      [&](const PostForm& form) {
        read.form = form;
        return S3Status();
      },
      [&](std::string_view bytes) {
        read.file += bytes;
        return S3Status();
      });
  for (size_t at = 0; at < body.size() && read.status; at += piece) {
    read.status = reader.Feed(body.substr(at, piece));
  }
  if (read.status) read.status = reader.End();
  return read;
}

S3Code CodeOf(const S3Status& status) {
  return status ? S3Code::kNotModified : status.error().code;
}

TEST(FormReader, TakesFieldsAndOneFileFromPiecesOfAnyLength) {
  for (const size_t piece : {1, 2, 3, 7, 64, 4096}) {
    const Read read = ReadForm(kBody, piece);
    ASSERT_TRUE(read.status) << piece;
    EXPECT_THAT(read.form.fields, ElementsAre(Pair("key", "uploads/${filename}"), Pair("acl", "")));
    EXPECT_EQ(read.form.filename, "a;b.txt");
    EXPECT_EQ(read.form.file_type, "text/csv");
    EXPECT_EQ(read.file, "one\r\n--other");
  }
}

TEST(FormReader, RefusesBodiesThatAreCutOffOrHaveNoFile) {
  const size_t end_of_file = kBody.find("--other") + 7;
  for (size_t cut = 0; cut <= end_of_file; ++cut) {
    EXPECT_EQ(CodeOf(ReadForm(kBody.substr(0, cut), 5).status), S3Code::kMalformedPostRequest);
  }
  EXPECT_EQ(CodeOf(ReadForm("--b--\r\n", 64).status), S3Code::kMalformedPostRequest);
  EXPECT_EQ(CodeOf(ReadForm(std::string(10'000, 'x'), 64).status), S3Code::kMalformedPostRequest);
  const std::string large = "--b\r\nContent-Disposition: form-data; name=x\r\n\r\n";
  EXPECT_EQ(CodeOf(ReadForm(large + std::string(30'000, 'x'), 512).status),
            S3Code::kMaxPostPreDataLengthExceeded);
}

TEST(FormReader, FindsTheBoundaryOfAForm) {
  EXPECT_EQ(BoundaryOf("multipart/form-data; boundary=abc"), "abc");
  EXPECT_EQ(BoundaryOf("Multipart/Form-Data; charset=x; Boundary=\"a b\""), "a b");
  EXPECT_EQ(BoundaryOf("application/x-www-form-urlencoded; boundary=abc"), "");
  EXPECT_EQ(BoundaryOf("multipart/form-data"), "");
}

class PolicyTest : public testing::Test {
 protected:
  S3Code Check(const std::string& conditions, Pairs fields) const {
    const std::string policy =
        R"({"expiration": "2026-01-02T00:00:00Z", "conditions": [)" + conditions + "]}";
    const auto range = CheckPolicy(policy, {.fields = std::move(fields)}, "bucket", now_);
    return range ? S3Code::kNotModified : range.error().code;
  }

  const int64_t now_ = *s3::ParseIsoDate("2026-01-01T00:00:00Z");
};

TEST_F(PolicyTest, AllowsOnlyFieldsThatItNames) {
  const std::string policy = R"({"bucket": "bucket"}, ["starts-with", "$key", "up/"])";
  EXPECT_EQ(Check(policy, {{"key", "up/x"}, {"policy", "p"}, {"x-ignore-a", "1"}}),
            S3Code::kNotModified);
  EXPECT_EQ(Check(policy, {{"key", "other/x"}}), S3Code::kAccessDenied);
  EXPECT_EQ(Check(policy, {{"key", "up/x"}, {"x-amz-meta-a", "1"}}), S3Code::kAccessDenied);
  EXPECT_EQ(Check(R"(["starts-with", "$key", ""])", {{"key", "x"}}), S3Code::kAccessDenied);
  EXPECT_EQ(Check(R"({"bucket": "other"}, ["eq", "$key", "x"])", {{"key", "x"}}),
            S3Code::kAccessDenied);
}

TEST_F(PolicyTest, RefusesWhatIsNoPolicy) {
  for (const char* conditions : {"{}", "1", R"(["eq", "$key"])", R"(["near", "$key", "x"])",
                                 R"(["eq", "key", "x"])", R"(["content-length-range", -1, 0])",
                                 R"(["content-length-range", 5, 1])", R"({"key": 1})"}) {
    EXPECT_EQ(Check(conditions, {}), S3Code::kInvalidPolicyDocument) << conditions;
  }
  for (const char* text : {"", "[]", "{}", R"({"expiration": "soon", "conditions": []})",
                           R"({"EXPIRATION": "2026-01-02T00:00:00Z", "conditions": []})",
                           R"({"expiration": "2026-01-02T00:00:00Z"})"}) {
    const auto range = CheckPolicy(text, {}, "bucket", now_);
    EXPECT_EQ(range.error().code, S3Code::kInvalidPolicyDocument) << text;
  }
  const char* expired = R"({"expiration": "2025-12-31T00:00:00Z", "conditions": []})";
  EXPECT_EQ(CheckPolicy(expired, {}, "bucket", now_).error().code, S3Code::kAccessDenied);
}

TEST_F(PolicyTest, IsProvenByVersion2UnlessThatIsOff) {
  SampleRing ring;
  PostForm form{.fields = {{"policy", "e30="}, {"awsaccesskeyid", kSampleAccess}}};
  EXPECT_EQ(AuthenticateForm(form, *ring, true).error().code, S3Code::kInvalidArgument);
  form.fields.emplace_back("signature", SignatureV2(kSampleSecret, "e30="));
  EXPECT_TRUE(AuthenticateForm(form, *ring, true));
  EXPECT_EQ(AuthenticateForm(form, *ring, false).error().code, S3Code::kInvalidRequest);
  form.fields[0].second = "e31=";
  EXPECT_EQ(AuthenticateForm(form, *ring, true).error().code, S3Code::kSignatureDoesNotMatch);
  EXPECT_EQ(AuthenticateForm({}, *ring, true).error().code, S3Code::kAccessDenied);
}

}  // namespace
}  // namespace muster::objects
