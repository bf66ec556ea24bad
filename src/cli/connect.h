#pragma once

#include <memory>

#include "base/result.h"
#include "cli/api.h"
#include "cli/context.h"
#include "cli/endpoint.h"
#include "cli/flags.h"

namespace muster::cli {

// The choices of --server, --data, --no-start and the environment.
Wanted WantedServer(const Args& args);

// Connects to the named server, else to the server of the data folder, else to a new one, which is
// reported in one line on standard error.
Result<std::unique_ptr<Api>> Connect(Context& context, const Args& args);

// Connects to a running server; kUnavailable if there is none.
Result<std::unique_ptr<Api>> ConnectOnly(Context& context, const Args& args);

// Whether the user named a server that is not on this machine, judged by the host of its address.
bool ServerIsElsewhere(const Args& args);

}  // namespace muster::cli
