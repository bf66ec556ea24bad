#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "http/client.h"
#include "transfer/s3_answers.h"
#include "transfer/signer.h"
#include "transfer/store.h"
#include "transfer/store_keys.h"

namespace muster::transfer {

// A request body with its checksums.
struct SealedBody {
  http::FileRange file;
  std::string crc32c;                 // base64; empty if not sent
  std::string sha256;                 // hex; empty for an unsigned payload
  std::function<bool(int64_t)> sent;  // as in http::Call
};

struct PutAnswer {
  std::string etag;
  bool crc_checked = false;  // the server confirmed that it compared the CRC
};

struct UploadStart {
  std::string id;
  bool with_crc = false;  // the store keeps a CRC of the whole object
};

struct GetRange {
  int64_t offset = 0;
  int64_t length = -1;  // -1 for the whole object, without a Range header
  std::string if_etag;  // only if the object still has this ETag; empty for any
};

// Requests to an object store over one connection, without retries. One thread.
class S3Client {
 public:
  // All workers share the store. `patience_ms` limits the time without a byte of a response.
  S3Client(std::shared_ptr<Store> store, const Clock& clock, int64_t patience_ms = 60'000);
  ~S3Client();

  Outcome<std::vector<BucketInfo>> Buckets();
  Outcome<void> MakeBucket(const std::string& bucket);
  Outcome<void> RemoveBucket(const std::string& bucket);
  Outcome<ListPage> List(const std::string& bucket, const std::string& prefix,
                         const std::string& delimiter, const std::string& token, int most = 0);

  Outcome<ObjectInfo> Head(const std::string& bucket, const std::string& key);
  // `begin` receives the metadata of the object, then `take` its bytes.
  Outcome<ObjectInfo> Get(const std::string& bucket, const std::string& key, const GetRange& range,
                          const std::function<void(const ObjectInfo&)>& begin,
                          const std::function<bool(std::string_view)>& take);
  Outcome<PutAnswer> Put(const std::string& bucket, const std::string& key, const SealedBody& body,
                         const http::Headers& kept);
  // Uploads a tar. A store that unpacks archives creates an object for each file; other stores keep
  // the tar as one object.
  Outcome<void> PutArchive(const std::string& bucket, const std::string& key,
                           std::string_view archive);
  Outcome<std::string> Copy(const std::string& from_bucket, const std::string& from_key,
                            const std::string& if_etag, const std::string& bucket,
                            const std::string& key);
  Outcome<std::vector<DeleteFault>> Delete(const std::string& bucket,
                                           std::span<const std::string> keys);

  Outcome<UploadStart> BeginUpload(const std::string& bucket, const std::string& key,
                                   const http::Headers& kept);
  Outcome<PutAnswer> PutPart(const std::string& bucket, const std::string& key,
                             const std::string& upload, int number, const SealedBody& body);
  Outcome<std::string> CopyPart(const std::string& from_bucket, const std::string& from_key,
                                const GetRange& range, const std::string& bucket,
                                const std::string& key, const std::string& upload, int number);
  // `crc32c` of the whole object, base64; empty if unknown. Returns the ETag.
  Outcome<std::string> Complete(const std::string& bucket, const std::string& key,
                                const std::string& upload, std::span<const CompletedPart> parts,
                                const std::string& crc32c);
  Outcome<void> Abort(const std::string& bucket, const std::string& key, const std::string& upload);

  // Requests that only Muster's own store supports: see near_store.h.
  Outcome<std::vector<StoreKey>> Keys();
  Outcome<StoreKey> MakeKey(const StoreKey& wanted);
  Outcome<void> RevokeKey(const std::string& access_key);
  Outcome<NearAnswer> Near();
  // A text that changes whenever an object below the prefix changes.
  Outcome<std::string> Stamp(const std::string& bucket, const std::string& prefix);
  Outcome<void> Adopt(const std::string& bucket, std::span<const Offer> offers);

  std::string Presign(const std::string& method, const std::string& bucket, const std::string& key,
                      int64_t seconds);

  Store& store() { return *store_; }

 private:
  struct Request;
  Outcome<http::Response> Send(Request request);
  // Sends a request to the store itself and parses its response with `read`.
  template <typename T>
  Outcome<T> Ask(Request request, Result<T> (*read)(std::string_view));
  Result<http::Client*> ClientFor(const std::string& origin, const std::string& ca_file);

  const std::shared_ptr<Store> store_;
  const Clock& clock_;
  const int64_t patience_ms_;
  Signer signer_;
  std::map<std::string, std::unique_ptr<http::Client>> clients_;  // by origin
};

}  // namespace muster::transfer
