#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/message.h"

namespace muster::objects {

// The error names of S3 and OBS. s3_error.cc has name, status and text of each.
enum class S3Code {
  kAccessControlListNotSupported,
  kAccessDenied,
  kAppendTooLarge,
  kAuthorizationHeaderMalformed,
  kAuthorizationQueryParametersError,
  kBadDigest,
  kBucketAlreadyExists,
  kBucketAlreadyOwnedByYou,
  kBucketNotEmpty,
  kConditionalRequestConflict,
  kEntityTooLarge,
  kEntityTooSmall,
  kExpiredToken,
  kIncompleteBody,
  kInternalError,
  kInvalidAccessKeyId,
  kInvalidArgument,
  kInvalidBucketName,
  kInvalidDigest,
  kInvalidLocationConstraint,
  kInvalidPart,
  kInvalidPartNumber,
  kInvalidPartOrder,
  kInvalidPolicyDocument,
  kInvalidRange,
  kInvalidRequest,
  kInvalidTag,
  kInvalidUri,
  kKeyTooLong,
  kMalformedPostRequest,
  kMalformedXml,
  kMaxMessageLengthExceeded,
  kMaxPostPreDataLengthExceeded,
  kMetadataTooLarge,
  kMethodNotAllowed,
  kMissingContentLength,
  kNoSuchBucket,
  kNoSuchBucketPolicy,
  kNoSuchCorsConfiguration,
  kNoSuchKey,
  kNoSuchLifecycleConfiguration,
  kNoSuchTagSet,
  kNoSuchUpload,
  kNoSuchWebsiteConfiguration,
  kNotImplemented,
  kNotModified,
  kObjectLockConfigurationNotFound,
  kObjectNotAppendable,
  kPositionNotEqualToLength,
  kPreconditionFailed,
  kReplicationConfigurationNotFound,
  kRequestTimeTooSkewed,
  kServerSideEncryptionConfigurationNotFound,
  kSignatureDoesNotMatch,
  kStorageFull,
  kTooManyBuckets,
  kXAmzContentSha256Mismatch,
};

std::string_view CodeNameOf(S3Code code);  // "NoSuchKey"
int StatusOf(S3Code code);

// A failed request of the object store. Internal causes are for the log; clients see no paths.
struct S3Error {
  S3Error(
      S3Code its_code);  // NOLINT(google-explicit-constructor): an error is made where it is met
  S3Error(S3Code its_code, std::string words) : code(its_code), message(std::move(words)) {}
  S3Error(const Error& error);  // NOLINT(google-explicit-constructor): crosses from os:: by itself

  S3Code code;
  std::string message;
  std::string log = {};        // for the server's log only
  http::Headers headers = {};  // of the answer, such as Content-Range
  // Further elements of the error document, such as <Condition>.
  std::vector<std::pair<std::string, std::string>> details = {};
};

template <typename T>
using S3Result = std::expected<T, S3Error>;
using S3Status = S3Result<void>;

inline std::unexpected<S3Error> Refuse(S3Code code) { return std::unexpected(S3Error(code)); }
inline std::unexpected<S3Error> Refuse(S3Code code, std::string words) {
  return std::unexpected(S3Error(code, std::move(words)));
}

}  // namespace muster::objects
