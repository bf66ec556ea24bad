#pragma once

#include <expected>
#include <string_view>

#include "api/operation.h"
#include "base/json.h"
#include "http/message.h"

namespace muster::api {

inline constexpr int64_t kJsonBodyLimit = 1 << 20;

// The JSON body of a request, validated against its operation's schema; empty for an operation
// without a schema, and for an absent optional body. Otherwise the response that refuses it, with
// all faults.
std::expected<json::object, http::Response> ReadBody(const Operation& operation,
                                                     const http::Request& request);

}  // namespace muster::api
