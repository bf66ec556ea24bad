#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "objects/body_check.h"
#include "objects/call.h"

namespace muster::objects {

// Receives the bytes of a body as they arrive.
class BodyTarget {
 public:
  virtual ~BodyTarget() = default;
  virtual S3Status Take(const s3::SharedPiece& piece) = 0;
  // The body is complete and verified. Answers the call, immediately or later.
  virtual void Done(const BodySums& sums) = 0;
};

// A row of the table of operations.
struct Operation {
  enum class Level { kService, kBucket, kObject };
  enum class Where { kLoop, kPool };  // slow or blocking operations run in the pool

  std::string_view method;
  Level level;
  // The query parameter or header ("@name") that selects the row; "" for none.
  std::string_view marker;
  void (*run)(const CallPtr&) = nullptr;  // with the whole, small body in the call
  Where where = Where::kLoop;
  // For large bodies: called with the head only.
  S3Result<std::unique_ptr<BodyTarget>> (*open)(const CallPtr&, const BodyCheck&) = nullptr;
  bool open_to_all = false;  // without a signature of the request; a form has one inside
};

// The row of a request; kMethodNotAllowed or kNotImplemented if there is none.
S3Result<const Operation*> FindOperation(const S3Request& request);
std::span<const Operation> AllOperations();
// Whether a query parameter of this name, in any case, selects an operation.
bool SelectsOperation(std::string_view parameter);
// Every object has one version, "null"; kNotImplemented for any other.
S3Status CheckVersion(std::string_view version);

// list_buckets.cc, bucket_ops.cc
void ListBuckets(const CallPtr& call);
void TellApiVersion(const CallPtr& call);
void MakeBucket(const CallPtr& call);
void RemoveBucket(const CallPtr& call);
void HeadBucket(const CallPtr& call);
void GetLocation(const CallPtr& call);
void GetVersioning(const CallPtr& call);
void GetAcl(const CallPtr& call);
void PutAcl(const CallPtr& call);
void GetBucketSetting(const CallPtr& call);  // for settings that no bucket has
std::string RegionOf(const S3Parts& parts, const std::string& bucket);
// cors_ops.cc, tag_ops.cc
void AnswerPreflight(const CallPtr& call);
void GetCors(const CallPtr& call);
void PutCors(const CallPtr& call);
void DeleteCors(const CallPtr& call);
void GetTags(const CallPtr& call);
void PutTags(const CallPtr& call);
void DeleteTags(const CallPtr& call);
// list_ops.cc
void ListObjects(const CallPtr& call);
void ListObjectsV2(const CallPtr& call);
void ListVersions(const CallPtr& call);
void TellStamp(const CallPtr& call);
// key_ops.cc
void ListKeyPairs(const CallPtr& call);
void MakeKeyPair(const CallPtr& call);
void RevokeKeyPair(const CallPtr& call);
// near_ops.cc
void TellNear(const CallPtr& call);
void AdoptFiles(const CallPtr& call);
// delete_ops.cc
void DeleteObject(const CallPtr& call);
void DeleteObjects(const CallPtr& call);
// attributes_ops.cc
void GetAttributes(const CallPtr& call);
// object_ops.cc, put_object.cc, append.cc
void GetObject(const CallPtr& call);
void SetMetadata(const CallPtr& call);
S3Result<std::unique_ptr<BodyTarget>> OpenPut(const CallPtr& call, const BodyCheck& check);
S3Result<std::unique_ptr<BodyTarget>> OpenAppend(const CallPtr& call, const BodyCheck& check);
// post_object.cc
S3Result<std::unique_ptr<BodyTarget>> OpenForm(const CallPtr& call, const BodyCheck& check);
// copy_ops.cc
void CopyObject(const CallPtr& call);
void CopyPart(const CallPtr& call);
// upload_ops.cc
void CreateUpload(const CallPtr& call);
void CompleteUpload(const CallPtr& call);
void AbortUpload(const CallPtr& call);
void ListParts(const CallPtr& call);
void ListUploads(const CallPtr& call);
S3Result<std::unique_ptr<BodyTarget>> OpenPart(const CallPtr& call, const BodyCheck& check);

}  // namespace muster::objects
