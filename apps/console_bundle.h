#pragma once

#include <string_view>

namespace muster::apps {

// The web console as the build packed it; empty for a build without npm. The source of this
// function is written by cmake/console.cmake.
std::string_view ConsoleBundle();

}  // namespace muster::apps
