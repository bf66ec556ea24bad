#pragma once

#include <expected>
#include <memory>

#include "http/gate.h"
#include "http/message.h"
#include "os/loop.h"

namespace muster::http {

// Takes every request of a server as it was sent: no table of routes, no token, no check of target
// or host stands before it. For protocols that bring their own, such as S3, whose names the gate
// would refuse. Called on the server's loop; a server with several loops calls it on all of them.
class Service {
 public:
  virtual ~Service() = default;
  // By the head alone, whose path and query are left empty: where the body goes, or the answer at
  // once. `head` outlives the sink.
  virtual std::expected<std::unique_ptr<BodySink>, Response> Begin(const Request& head,
                                                                   const RequestFacts& facts,
                                                                   os::Loop& loop) = 0;
};

}  // namespace muster::http
