#pragma once

#include <memory>
#include <vector>

#include "cli/context.h"
#include "cli/flags.h"
#include "transfer/stores.h"

namespace muster::cli {

// --profile, --endpoint, --region and --style, for all data verbs.
std::vector<Flag> WithStoreFlags(std::vector<Flag> own);

// The object stores named by flags, environment and profiles; else that of the server, which is
// started if necessary. Keeps references to both arguments.
std::unique_ptr<transfer::Stores> OpenStores(Context& context, const Args& args);

}  // namespace muster::cli
