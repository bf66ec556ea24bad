#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "model/order.h"

namespace muster::launcher {

// Replaces every mount path in the text, alone or as a prefix, by its source; the innermost mount
// has precedence. Parts of longer words stay unchanged.
std::string WithSources(std::string_view text, const View& view);

// Rewrites the order for a machine without mounts: paths of the view become their sources, and node
// names in host lists become addresses. `is_there` tells which paths exist on the machine: a
// scratch folder such as /tmp is then used directly. The view keeps its folders and the links in
// them.
void WithoutView(NodeOrder& order, const std::function<bool(const std::string&)>& is_there);

}  // namespace muster::launcher
