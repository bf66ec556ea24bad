#pragma once

#include "base/result.h"
#include "cli/endpoint.h"
#include "os/file.h"

namespace muster::cli {

// Starts `muster server --data DATA FLAGS…` apart from this terminal, its words in DATA/server.log,
// and waits until its endpoint file names a server for which `answers` holds: at most 10 s. When
// another client starts one at the same time, the one that won is taken.
Result<Endpoint> StartServer(const os::Path& data,
                             const std::function<bool(const Endpoint&)>& answers,
                             const std::vector<std::string>& flags = {});

}  // namespace muster::cli
