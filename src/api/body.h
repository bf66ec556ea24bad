#pragma once

#include <expected>
#include <string_view>

#include "api/operation.h"
#include "base/json.h"
#include "http/message.h"

namespace muster::api {

inline constexpr int64_t kJsonBodyLimit = 1 << 20;

// The JSON object that a request brought, held to its operation's schema; empty for an operation
// without one, and for an absent body where that is allowed. Else the answer that refuses it, with
// every fault.
std::expected<json::object, http::Response> ReadBody(const Operation& operation,
                                                     const http::Request& request);

}  // namespace muster::api
