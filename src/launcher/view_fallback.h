#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "model/order.h"

namespace muster::launcher {

// The text with every name of a mount, alone or in front of a path, replaced by what stands behind
// it; the innermost mount wins. Names inside of longer words stay.
std::string WithSources(std::string_view text, const View& view);

// Leads everything in the order that names one of the view's folders to the folder itself, and the
// names of nodes in lists of hosts to their addresses. `is_there` tells which paths the machine
// has: a scratch folder such as /tmp is left to it then. What is left of the view are its folders
// and the links in them.
void WithoutView(NodeOrder& order, const std::function<bool(const std::string&)>& is_there);

}  // namespace muster::launcher
