#pragma once

#include "base/result.h"
#include "model/order.h"

namespace muster::launcher {

// Checks, before anything of the job runs, that every folder of the platform's view is the folder
// of the job that the order names. A folder that was replaced after the view was mounted would
// show up empty in the job.
Status CheckView(const NodeOrder& order);

// kNotFound when an input of the machine does not exist on this node.
Status CheckLocalInputs(const NodeOrder& order);

}  // namespace muster::launcher
