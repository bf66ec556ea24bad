#pragma once

#include <optional>
#include <string>

#include "checkup/examine.h"
#include "checkup/script.h"

namespace muster::cli {

// Parses the script file with python3 or `bash -n`, without executing it. Nothing if the script is
// correct, or if the interpreter is not installed.
std::optional<checkup::SyntaxError> CheckSyntax(checkup::Language language,
                                                const std::string& file);

}  // namespace muster::cli
