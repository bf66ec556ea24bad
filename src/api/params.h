#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/operation.h"
#include "base/result.h"
#include "http/message.h"
#include "model/states.h"

namespace muster::api {

// Holds a request's path and query values and headers to its operation: unknown and repeated query
// names, numbers out of range, and malformed values are kInvalid, and the text says what to send.
Status CheckParams(const Operation& operation, const http::Request& request);

// The values of a request that CheckParams has let through.
int64_t PathInt(const http::Request& request, std::string_view name);
std::optional<int64_t> QueryInt(const http::Request& request, std::string_view name);
bool QueryFlag(const http::Request& request, std::string_view name);
std::string QueryText(const http::Request& request, std::string_view name);
std::vector<State> QueryStates(const http::Request& request, std::string_view name);
std::string IdempotencyKey(const http::Request& request);

}  // namespace muster::api
