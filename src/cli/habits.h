#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/flags.h"

namespace muster::cli {

// What to type instead of a word of Slurm, kubectl, docker or nomad. Empty for words without a row.

// `verb`: "status", "delete", "squeue".
std::string HintForVerb(std::string_view verb);

// `flag` without dashes: "gpus", "mem", "n". Only rows whose flag of ours is in `table`.
std::string HintForFlag(std::string_view flag, std::span<const Flag> table);

}  // namespace muster::cli
