#pragma once

#include <functional>

#include "api/routes.h"

namespace muster::api {

// Runs `work` in the pool and answers with what it returns, on the loop: a Reply is destroyed on
// the loop only.
void AnswerFromPool(const ContextPtr& context, http::Reply reply,
                    std::function<Result<http::Response>()> work);

}  // namespace muster::api
