#pragma once

#include <functional>
#include <optional>
#include <string>

#include "model/spec.h"

namespace muster::dialect {

// The Python file of a command that only runs one file, as text or as a list: "train.py --fast",
// "python3 -u train.py". Platforms start such commands in their own way.
std::optional<std::string> BootFile(const Command& run);

// The command with the file replaced, as words; `python` is the interpreter if the command names
// none. Commands without a boot file are returned unchanged.
Command WithBootFile(const Command& run, const std::string& python,
                     const std::function<std::string(const std::string&)>& rename);

// Whether the command calls a launcher that starts the ranks of a node or of the job.
bool CallsLauncher(const JobSpec& spec, const Role& role);

}  // namespace muster::dialect
