#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "http/message.h"
#include "objects/authenticate.h"
#include "objects/object_store.h"
#include "objects/s3_request.h"
#include "os/loop.h"
#include "os/pool.h"

namespace muster::objects {

class BucketSettings;
class Inbox;
class Uploads;

// The objects that operations use. They are created before the first call and outlive the last one.
struct S3Parts {
  ObjectStore& store;
  Uploads& uploads;
  BucketSettings& settings;
  const Inbox& inbox;
  KeyRing& keys;
  os::Pool& pool;  // for slow work
  const Clock& clock;
  std::string region;
  std::vector<std::string> domains;  // domains whose subdomains are buckets
  int port = 0;                      // the listening port
  bool accept_v2 = true;             // signatures of version 2 and OBS
};

// A Call holds a request in progress: the caller, the request, and the reply. The functions that
// process the request share it. Exactly one of them answers it, from any thread.
class Call : public std::enable_shared_from_this<Call> {
 public:
  Call(S3Parts& its_parts, os::Loop& loop, S3Request its_request);

  void Answer(http::Response response);
  void AnswerFile(http::Response head, http::FileBody file);
  void Fail(const S3Error& error);
  // Answer or Fail, depending on the result.
  void Reply(S3Result<http::Response> result);

  // The response that Answer or Fail would send, for use before the body was read.
  http::Response Finished(http::Response response) const;
  http::Response ErrorResponse(const S3Error& error) const;

  // kAccessDenied unless the key of the caller covers it.
  S3Status MayRead(std::string_view bucket, std::string_view key) const;
  S3Status MayWrite(std::string_view bucket, std::string_view key) const;
  // AccessDenied, with the next step where the key is that of a job.
  S3Status Deny(std::string_view bucket, std::string_view key, std::string_view verb) const;

  S3Parts& parts;
  const S3Request request;
  Caller caller;
  std::string body;  // the whole body, for operations with a small one

  void Take(http::Reply reply) { reply_.emplace(std::move(reply)); }  // on the loop

 private:
  void OnLoop(std::function<void()> fn);

  os::Loop& loop_;
  const std::thread::id loop_thread_ = std::this_thread::get_id();
  const std::string id_;
  std::optional<http::Reply> reply_;
};
using CallPtr = std::shared_ptr<Call>;

}  // namespace muster::objects
