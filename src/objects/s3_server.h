#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "http/server.h"
#include "objects/bucket_settings.h"
#include "objects/inbox.h"
#include "objects/s3_service.h"
#include "objects/uploads.h"

namespace muster::objects {

struct S3Options {
  os::Path root;  // DIR/objects
  std::string host = "127.0.0.1";
  int port = 0;           // 0 for the port of the last run, else any free one
  int threads = 0;        // 0 for the number of CPUs, at most 8
  bool accept_v2 = true;  // signatures of version 2 and OBS, which cover less than version 4
  bool sync = true;       // false for data that can be reproduced
  std::string region = "us-east-1";
  std::vector<std::string> domains = {"localhost"};  // makes "bucket.localhost" a bucket
  std::string tls_certificate, tls_key;
};

// The embedded object store with its own listeners and threads: hashing and writing never block the
// server's loop.
class S3Server {
 public:
  // Opens the store and listens; requests wait until Serve.
  static Result<std::unique_ptr<S3Server>> Open(S3Options options);
  void Serve();
  static Result<std::unique_ptr<S3Server>> Start(S3Options options);  // both
  ~S3Server();  // finishes responses in progress for a moment
  S3Server(const S3Server&) = delete;
  S3Server& operator=(const S3Server&) = delete;

  std::string url() const { return servers_.front()->url(); }
  KeyPair first_key() const { return keys_->First(); }
  const std::string& region() const { return parts_->region; }
  KeyRing& keys() { return *keys_; }
  ObjectStore& store() { return *store_; }

 private:
  explicit S3Server(S3Options options) : options_(std::move(options)) {}
  Status OpenStore();
  Status Listen();
  void Sweep();

  const S3Options options_;
  SystemClock clock_;
  std::unique_ptr<KeyRing> keys_;
  std::unique_ptr<ObjectStore> store_;
  std::unique_ptr<Uploads> uploads_;
  std::unique_ptr<BucketSettings> settings_;
  std::optional<Inbox> inbox_;
  std::unique_ptr<os::Pool> pool_;
  std::unique_ptr<S3Parts> parts_;
  std::unique_ptr<S3Service> service_;
  std::vector<std::unique_ptr<http::Server>> servers_;
  std::vector<std::jthread> threads_;
};

}  // namespace muster::objects
