#pragma once

#include <expected>
#include <memory>

#include "http/gate.h"
#include "http/message.h"
#include "os/loop.h"

namespace muster::http {

// Receives every request of a server unchanged: without route table, token, or checks of target and
// host. For protocols with their own rules, such as S3, whose object names the gate would refuse.
// Called on the server's loop; a server with several loops calls it on all of them.
class Service {
 public:
  virtual ~Service() = default;
  // Called with the head, whose path and query are empty: returns the sink of the body, or the
  // response. `head` outlives the sink.
  virtual std::expected<std::unique_ptr<BodySink>, Response> Begin(const Request& head,
                                                                   const RequestFacts& facts,
                                                                   os::Loop& loop) = 0;
};

}  // namespace muster::http
