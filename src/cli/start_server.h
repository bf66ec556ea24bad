#pragma once

#include "base/result.h"
#include "cli/endpoint.h"
#include "os/file.h"

namespace muster::cli {

// Starts `muster server --data DATA FLAGS…` detached from this terminal, with output to
// DATA/server.log, and waits at most 10 s until `answers` is true for the server in its endpoint
// file. If another client starts a server at the same time, the successful one is used.
Result<Endpoint> StartServer(const os::Path& data,
                             const std::function<bool(const Endpoint&)>& answers,
                             const std::vector<std::string>& flags = {});

}  // namespace muster::cli
