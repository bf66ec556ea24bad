#pragma once

#include <functional>
#include <optional>
#include <string>

#include "model/spec.h"

namespace muster::dialect {

// The Python file of a command that runs one file and nothing else, as text or as a list:
// "train.py --fast", "python3 -u train.py". Platforms start such a command in their own way.
std::optional<std::string> BootFile(const Command& run);

// The same command with the file under another name, by words; `python` is the interpreter of a
// command that names none. Commands without a boot file come back as they are.
Command WithBootFile(const Command& run, const std::string& python,
                     const std::function<std::string(const std::string&)>& rename);

// Whether the command calls a launcher of its own that starts the ranks of a node or of the job.
bool CallsLauncher(const JobSpec& spec, const Role& role);

}  // namespace muster::dialect
