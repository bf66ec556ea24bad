#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "http/message.h"
#include "model/spec_reader.h"

namespace muster::api {

// An error answer with everything that is wrong with a body: `error.faults`, absent without any.
http::Response FaultyResponse(const Error& error, const std::vector<Fault>& faults);

// The head of a server-sent event stream.
http::Response EventStreamHead();
// One server-sent event; `event` and `id` are left out when empty. `data` is one line.
void AppendEvent(std::string& out, std::string_view event, std::string_view id,
                 std::string_view data);
// A comment that clients pass over: keeps the connection known to be alive.
inline constexpr std::string_view kSseComment = ":\n\n";

}  // namespace muster::api
