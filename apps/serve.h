#pragma once

#include <string>
#include <vector>

namespace muster::apps {

// `muster server`: makes every part, hands them to each other, runs until it is told to end. The
// jobs go on without it. The exit code.
int Serve(const std::vector<std::string>& arguments);

}  // namespace muster::apps
