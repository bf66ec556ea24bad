#include "objects/s3_error.h"

#include <algorithm>

namespace muster::objects {
namespace {

struct Row {
  S3Code code;
  std::string_view name;
  int status;
  std::string_view words;
};

constexpr Row kRows[] = {
    {S3Code::kAccessControlListNotSupported, "AccessControlListNotSupported", 400,
     "The bucket does not allow ACLs. Share an object by a presigned URL."},
    {S3Code::kAccessDenied, "AccessDenied", 403, "Access Denied."},
    {S3Code::kAppendTooLarge, "AppendTooLarge", 400, "The object would grow above the limit."},
    {S3Code::kAuthorizationHeaderMalformed, "AuthorizationHeaderMalformed", 400,
     "The authorization header is malformed."},
    {S3Code::kAuthorizationQueryParametersError, "AuthorizationQueryParametersError", 400,
     "The authorization query parameters are malformed."},
    {S3Code::kBadDigest, "BadDigest", 400,
     "The checksum that was given does not match what was received."},
    {S3Code::kBucketAlreadyExists, "BucketAlreadyExists", 409, "The bucket name is taken."},
    {S3Code::kBucketAlreadyOwnedByYou, "BucketAlreadyOwnedByYou", 409, "The bucket is yours."},
    {S3Code::kBucketNotEmpty, "BucketNotEmpty", 409, "The bucket still has objects in it."},
    {S3Code::kConditionalRequestConflict, "ConditionalRequestConflict", 409,
     "The object changed while the request ran."},
    {S3Code::kEntityTooLarge, "EntityTooLarge", 400, "The object is above the allowed size."},
    {S3Code::kEntityTooSmall, "EntityTooSmall", 400, "A part that is not the last is below 5 MiB."},
    {S3Code::kExpiredToken, "ExpiredToken", 400, "The token has expired."},
    {S3Code::kIncompleteBody, "IncompleteBody", 400,
     "The body has another length than its headers say."},
    {S3Code::kInternalError, "InternalError", 500,
     "The server failed; its log has the cause. Please try again."},
    {S3Code::kInvalidAccessKeyId, "InvalidAccessKeyId", 403,
     "The access key id is not known here."},
    {S3Code::kInvalidArgument, "InvalidArgument", 400, "An argument is not valid."},
    {S3Code::kInvalidBucketName, "InvalidBucketName", 400, "The bucket name is not valid."},
    {S3Code::kInvalidDigest, "InvalidDigest", 400, "The digest that was given is none."},
    {S3Code::kInvalidLocationConstraint, "InvalidLocationConstraint", 400,
     "The specified location-constraint is not valid."},
    {S3Code::kInvalidPart, "InvalidPart", 400, "A part was not uploaded, or its ETag is another."},
    {S3Code::kInvalidPartNumber, "InvalidPartNumber", 416,
     "The object has no part of this number."},
    {S3Code::kInvalidPartOrder, "InvalidPartOrder", 400,
     "The parts must be listed in ascending order."},
    {S3Code::kInvalidPolicyDocument, "InvalidPolicyDocument", 400,
     "The content of the form does not meet the conditions specified in the policy document."},
    {S3Code::kMalformedPostRequest, "MalformedPOSTRequest", 400,
     "The body of your POST request is not well-formed multipart/form-data."},
    {S3Code::kMaxPostPreDataLengthExceeded, "MaxPostPreDataLengthExceededError", 400,
     "Your POST request fields preceding the upload file were too large."},
    {S3Code::kInvalidRange, "InvalidRange", 416, "The object has no byte of this range."},
    {S3Code::kInvalidRequest, "InvalidRequest", 400, "The request is not valid."},
    {S3Code::kInvalidTag, "InvalidTag", 400, "A tag is not valid."},
    {S3Code::kInvalidUri, "InvalidURI", 400, "The request target cannot be read."},
    {S3Code::kKeyTooLong, "KeyTooLongError", 400, "The key is above 1024 bytes."},
    {S3Code::kMalformedXml, "MalformedXML", 400,
     "The XML cannot be read, or is not the one asked for."},
    {S3Code::kMaxMessageLengthExceeded, "MaxMessageLengthExceeded", 400, "The body is too long."},
    {S3Code::kMetadataTooLarge, "MetadataTooLarge", 400, "The metadata is above the allowed size."},
    {S3Code::kMethodNotAllowed, "MethodNotAllowed", 405, "The method is not allowed here."},
    {S3Code::kMissingContentLength, "MissingContentLength", 411, "Content-Length is missing."},
    {S3Code::kNoSuchBucket, "NoSuchBucket", 404, "The bucket does not exist."},
    {S3Code::kNoSuchBucketPolicy, "NoSuchBucketPolicy", 404, "The bucket has no policy."},
    {S3Code::kNoSuchLifecycleConfiguration, "NoSuchLifecycleConfiguration", 404,
     "The bucket has no lifecycle configuration."},
    {S3Code::kNoSuchWebsiteConfiguration, "NoSuchWebsiteConfiguration", 404,
     "The bucket is no website."},
    {S3Code::kObjectLockConfigurationNotFound, "ObjectLockConfigurationNotFoundError", 404,
     "The bucket has no object lock."},
    {S3Code::kReplicationConfigurationNotFound, "ReplicationConfigurationNotFoundError", 404,
     "The bucket is not replicated."},
    {S3Code::kNoSuchCorsConfiguration, "NoSuchCORSConfiguration", 404,
     "The bucket has no CORS configuration."},
    {S3Code::kNoSuchKey, "NoSuchKey", 404, "The key does not exist."},
    {S3Code::kNoSuchTagSet, "NoSuchTagSet", 404, "There are no tags."},
    {S3Code::kNoSuchUpload, "NoSuchUpload", 404,
     "The upload does not exist; it may have been completed or aborted."},
    {S3Code::kNotImplemented, "NotImplemented", 501, "This is not part of this object store."},
    {S3Code::kNotModified, "NotModified", 304, ""},
    {S3Code::kObjectNotAppendable, "ObjectNotAppendable", 409,
     "The object was not made by appending."},
    {S3Code::kPositionNotEqualToLength, "PositionNotEqualToLength", 409,
     "The position is not the end of the object."},
    {S3Code::kPreconditionFailed, "PreconditionFailed", 412, "A condition of the request failed."},
    {S3Code::kRequestTimeTooSkewed, "RequestTimeTooSkewed", 403,
     "The request's time and the server's differ too much."},
    {S3Code::kServerSideEncryptionConfigurationNotFound,
     "ServerSideEncryptionConfigurationNotFoundError", 404, "The bucket is not encrypted."},
    {S3Code::kSignatureDoesNotMatch, "SignatureDoesNotMatch", 403,
     "The signature is not the one that this key makes of this request."},
    {S3Code::kStorageFull, "StorageFull", 507, "The disk is full."},
    {S3Code::kTooManyBuckets, "TooManyBuckets", 400, "There are too many buckets."},
    {S3Code::kXAmzContentSha256Mismatch, "XAmzContentSHA256Mismatch", 400,
     "The body does not have the SHA-256 that x-amz-content-sha256 says."},
};

const Row& RowOf(S3Code code) {
  const auto row = std::ranges::find(kRows, code, &Row::code);
  return row == std::end(kRows) ? kRows[0] : *row;
}

}  // namespace

std::string_view CodeNameOf(S3Code code) { return RowOf(code).name; }
int StatusOf(S3Code code) { return RowOf(code).status; }

S3Error::S3Error(S3Code its_code) : code(its_code), message(RowOf(its_code).words) {}

S3Error::S3Error(const Error& error)
    : code(error.code == Code::kNoSpace ? S3Code::kStorageFull : S3Code::kInternalError),
      message(RowOf(code).words),
      log(error.text) {}

}  // namespace muster::objects
