#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "transfer/copy.h"

namespace muster::cli {

// The flags that cp and sync share, and their values.
std::vector<Flag> CopyFlags(std::vector<Flag> own);
Result<transfer::CopyOptions> ReadCopyFlags(const Args& args);
transfer::Filter ReadFilter(const Args& args);

Result<std::vector<transfer::Location>> ReadLocations(std::span<const std::string> words);

}  // namespace muster::cli
