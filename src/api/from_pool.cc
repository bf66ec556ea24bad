#include "api/from_pool.h"

#include <memory>

namespace muster::api {

void AnswerFromPool(const ContextPtr& context, http::Reply reply,
                    std::function<Result<http::Response>()> work) {
  context->parts.pool.Run(
      [context, reply = Share(std::move(reply)), work = std::move(work)]() mutable {
        auto answer = std::make_shared<Result<http::Response>>(work());
        context->parts.loop.Post([reply = std::move(reply), answer] {
          reply->Send(*answer ? **answer : http::ErrorResponse(answer->error()));
        });
      });
}

}  // namespace muster::api
