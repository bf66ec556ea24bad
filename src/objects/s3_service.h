#pragma once

#include <memory>

#include "http/service.h"
#include "objects/call.h"

namespace muster::objects {

// The S3 and OBS protocols of the object store. Used on several loops concurrently.
class S3Service final : public http::Service {
 public:
  explicit S3Service(S3Parts& parts) : parts_(parts) {}

  std::expected<std::unique_ptr<http::BodySink>, http::Response> Begin(
      const http::Request& head, const http::RequestFacts& facts, os::Loop& loop) override;

 private:
  S3Parts& parts_;
};

}  // namespace muster::objects
