#pragma once

#include <memory>
#include <vector>

#include "cli/context.h"
#include "cli/flags.h"
#include "transfer/stores.h"

namespace muster::cli {

// --profile, --endpoint, --region and --style, which every verb for data takes.
std::vector<Flag> WithStoreFlags(std::vector<Flag> own);

// The object stores that flags, environment and profiles name; else that of the server, which is
// started where none runs. Refers to both arguments.
std::unique_ptr<transfer::Stores> OpenStores(Context& context, const Args& args);

}  // namespace muster::cli
