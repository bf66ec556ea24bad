#pragma once

#include <memory>

#include "base/result.h"
#include "cli/api.h"
#include "cli/context.h"
#include "cli/endpoint.h"
#include "cli/flags.h"

namespace muster::cli {

// What --server, --data, --no-start and the environment say.
Wanted WantedServer(const Args& args);

// A server to talk to: the named one, else the one of the data folder, else one started now, which
// one line on standard error tells.
Result<std::unique_ptr<Api>> Connect(Context& context, const Args& args);

// Connects to a server that runs already; kUnavailable when there is none.
Result<std::unique_ptr<Api>> ConnectOnly(Context& context, const Args& args);

// Whether the user named a server that is not on this machine, judged by the host of its address.
bool ServerIsElsewhere(const Args& args);

}  // namespace muster::cli
