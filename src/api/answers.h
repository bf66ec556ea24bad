#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "http/message.h"
#include "model/spec_reader.h"

namespace muster::api {

// An error response with all faults of a body in `error.faults`, which is absent without faults.
http::Response FaultyResponse(const Error& error, const std::vector<Fault>& faults);

// The head of a server-sent event stream.
http::Response EventStreamHead();
// Appends a server-sent event; `event` and `id` are omitted if empty. `data` is one line.
void AppendEvent(std::string& out, std::string_view event, std::string_view id,
                 std::string_view data);
// A comment that clients ignore; serves as keep-alive.
inline constexpr std::string_view kSseComment = ":\n\n";

}  // namespace muster::api
