#include "objects/operations.h"

#include <gmock/gmock.h>

#include "objects/sample_requests.h"

namespace muster::objects {
namespace {

S3Code CodeOf(const std::string& method, const std::string& target) {
  const auto found = FindOperation(SampleRequest(method, target, {{"Host", "h"}}));
  return found ? S3Code::kNotModified : found.error().code;
}

std::string MarkerOf(const std::string& method, const std::string& target,
                     http::Headers more = {}) {
  more.emplace_back("Host", "h");
  const auto found = FindOperation(SampleRequest(method, target, more));
  return found ? std::string((*found)->marker) : "none";
}

TEST(Operations, ParametersAndHeadersSelectTheOperation) {
  EXPECT_EQ(MarkerOf("GET", "/bucket?list-type=2&prefix=x"), "list-type");
  EXPECT_EQ(MarkerOf("GET", "/bucket?prefix=uploads"), "");
  EXPECT_EQ(MarkerOf("GET", "/bucket?uploads"), "uploads");
  EXPECT_EQ(MarkerOf("PUT", "/bucket/k?partNumber=1&uploadId=x"), "uploadId");
  EXPECT_EQ(
      MarkerOf("PUT", "/bucket/k?partNumber=1&uploadId=x", {{"x-amz-copy-source", "/bucket/k"}}),
      "uploadId@copy-source");
  EXPECT_EQ(MarkerOf("PUT", "/bucket/k", {{"x-obs-copy-source", "/bucket/k"}}), "@copy-source");
  EXPECT_EQ(MarkerOf("PUT", "/bucket/k?x-id=PutObject"), "");
}

TEST(Operations, UnsupportedOperationsAreNeverTakenForOthers) {
  for (const char* target :
       {"/bucket?versioning", "/bucket?policy", "/bucket?lifecycle", "/bucket/k?retention",
        "/bucket/k?legal-hold", "/bucket/k?restore", "/bucket?unheard-of", "/bucket?unheard-of=",
        "/bucket/k?acls", "/bucket/k?attributes", "/bucket/k?attributes=x", "/bucket/k?torrent=1",
        "/bucket/k?x-image-process=image/resize,w_100", "/bucket?ownershipControls=x",
        "/bucket/k?renameObject", "/bucket/k?partNumber=1&uploadID=x", "/bucket/k?VersionId=x",
        "/bucket/k?uploads=x", "/bucket/k?append=1"}) {
    EXPECT_EQ(CodeOf("PUT", target), S3Code::kNotImplemented) << target;
  }
  EXPECT_EQ(CodeOf("PUT", "/bucket?versions"), S3Code::kNotImplemented);
  EXPECT_EQ(CodeOf("DELETE", "/bucket?policy"), S3Code::kNotImplemented);
  EXPECT_EQ(CodeOf("POST", "/bucket?unheard-of"), S3Code::kNotImplemented);
  EXPECT_EQ(CodeOf("POST", "/bucket/k?select&select-type=2"), S3Code::kNotImplemented);
  EXPECT_EQ(CodeOf("PATCH", "/bucket/k"), S3Code::kMethodNotAllowed);
  EXPECT_EQ(CodeOf("DELETE", "/"), S3Code::kMethodNotAllowed);
}

TEST(Operations, UnknownParametersAreIgnored) {
  for (const char* method : {"GET", "HEAD", "PUT", "DELETE"}) {
    EXPECT_EQ(MarkerOf(method, "/bucket/k?foo=bar&x-id=PutObject"), "") << method;
    EXPECT_EQ(MarkerOf(method, "/bucket?foo=bar"), "") << method;
  }
  EXPECT_EQ(MarkerOf("GET", "/bucket?foo=bar&list-type=2"), "list-type");
  EXPECT_EQ(MarkerOf("PUT", "/bucket/k?tagging&foo=bar"), "tagging");
  EXPECT_EQ(CodeOf("PUT", "/bucket/k?foo=bar&acl=x"), S3Code::kNotModified) << "it is there";
  EXPECT_EQ(CodeOf("PUT", "/bucket/k?foo=bar&policy=x"), S3Code::kNotImplemented);
}

TEST(Operations, PartWithoutUploadIsNotAnObject) {
  EXPECT_EQ(CodeOf("PUT", "/bucket/k?partNumber=1"), S3Code::kInvalidArgument);
  EXPECT_EQ(CodeOf("DELETE", "/bucket/k?partNumber=1"), S3Code::kInvalidArgument);
  EXPECT_EQ(MarkerOf("GET", "/bucket/k?partNumber=1"), "");
}

TEST(Operations, OtherVersionsAreRefused) {
  for (const char* method : {"GET", "HEAD", "PUT", "DELETE"}) {
    EXPECT_EQ(CodeOf(method, "/bucket/k?versionId=null"), S3Code::kNotModified) << method;
    EXPECT_EQ(CodeOf(method, "/bucket/k?versionId=x"), S3Code::kNotImplemented) << method;
    EXPECT_EQ(CodeOf(method, "/bucket/k?versionId="), S3Code::kNotImplemented) << method;
  }
  EXPECT_EQ(CodeOf("DELETE", "/bucket/k?tagging&versionId=x"), S3Code::kNotImplemented);
}

TEST(Operations, OnlyProtocolDetectionNeedsNoSignature) {
  ASSERT_GE(AllOperations().size(), 50u);
  for (const Operation& operation : AllOperations()) {
    const bool question = operation.method == "OPTIONS" || operation.marker == "apiversion";
    const bool form = operation.method == "POST" && operation.marker.empty();
    EXPECT_EQ(operation.open_to_all, question || form)
        << operation.method << " " << operation.marker;
    EXPECT_NE(operation.run == nullptr, operation.open == nullptr);
  }
}

TEST(S3Request, NamesAreKeptAsSent) {
  const auto request =
      SampleRequest("GET", "/bucket/a//../%2e%2F+%20?x=+&y=%2B&z", {{"Host", "h:1"}});
  EXPECT_EQ(request.bucket, "bucket");
  EXPECT_EQ(request.key, "a//../.\x2f+ ");
  EXPECT_EQ(request.Query("x"), " ");
  EXPECT_EQ(request.Query("y"), "+");
  EXPECT_FALSE(request.query[2].has_equals);
  const auto host = SampleRequest("GET", "/k", {{"Host", "my.bucket.s3.amazonaws.com:80"}});
  EXPECT_TRUE(host.virtual_host);
  EXPECT_EQ(host.bucket, "my.bucket");
  EXPECT_EQ(host.key, "k");
}

TEST(S3Request, InvalidNamesAndTargetsAreRefused) {
  const auto code = [](const std::string& target) {
    http::Request head;
    head.method = "GET";
    head.raw_target = target;
    const auto request = ReadRequest(head, {}, {});
    return request ? S3Code::kNotModified : request.error().code;
  };
  EXPECT_EQ(code("/bucket/%zz"), S3Code::kInvalidUri);
  EXPECT_EQ(code("/bucket/%4"), S3Code::kInvalidUri);
  EXPECT_EQ(code("/bucket?%4"), S3Code::kInvalidUri);
  EXPECT_EQ(code("bucket"), S3Code::kInvalidUri);
  EXPECT_EQ(code("/bucket/" + std::string(1025, 'k')), S3Code::kKeyTooLong);
  EXPECT_EQ(code("/bucket/" + std::string(1024, 'k')), S3Code::kNotModified);
  for (const char* name :
       {"/..", "/.muster", "/ab", "/UPPER", "/a..b", "/-ab", "/a_b", "/%2e%2e"}) {
    EXPECT_EQ(code(name), S3Code::kInvalidBucketName) << name;
  }
  EXPECT_EQ(code("//key"), S3Code::kInvalidBucketName);
}

}  // namespace
}  // namespace muster::objects
