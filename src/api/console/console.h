#pragma once

#include <string_view>

#include "api/console/sessions.h"
#include "base/result.h"
#include "http/router.h"

namespace muster::api {

// Adds the web console to a server: its pages and files, sign-in and sign-out, and one-time links.
// `packed` is the bundle that the build made, empty for a build without npm; `sessions` and the
// bytes of `packed` outlive the router. kCorrupt for a damaged bundle.
Status AddConsole(http::Router& router, Sessions& sessions, std::string_view packed);

}  // namespace muster::api
