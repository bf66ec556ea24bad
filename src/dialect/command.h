#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dialect/plan.h"
#include "model/spec.h"

namespace muster::dialect {

// The words to execute for one role. A list, and a text that needs no shell, are executed word by
// word, other text by /bin/sh. In all three a .py file in front is started by the job's Python, a
// .sh file by /bin/bash. Parameters follow as --name=value; inputs and outputs are parameters too
// unless one of that name is given.
Result<std::vector<std::string>> BuildCommand(const JobSpec& spec, const Role& role,
                                              const Places& places);

// "/data/a b" for "file:///data/a%20b"; other values are returned unchanged.
std::string PlainPath(std::string_view value);

// The place of an output or of logs with the number of the job in place of ${job_id}.
std::string WithJobId(std::string place, JobId job);

// The folder of an output: the given one, or one of the job.
std::string OutputFolder(const std::pair<std::string, std::string>& output, const Places& places);

// Whether the words are a shell, "-c" or "-lc", and its text.
bool IsShellText(const std::vector<std::string>& argv);

// The words of a command; of a shell's text those that a shell would see, roughly.
std::vector<std::string> CommandWords(const std::vector<std::string>& argv);

// Whether the command, or shell text in it, runs a program with one of these names, or a Python
// module (python -m NAME).
bool RunsProgram(const std::vector<std::string>& argv, std::span<const std::string_view> names);

}  // namespace muster::dialect
