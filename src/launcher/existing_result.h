#pragma once

#include <functional>

#include "base/result.h"
#include "model/manifest.h"
#include "transfer/location.h"
#include "transfer/s3_client.h"
#include "transfer/stores.h"

namespace muster::launcher {

// A place with a manifest holds the complete result of a job. Publishing there would destroy it.

// kConflict when `folder` has a manifest that protects it. `own` tells whether a manifest is the
// caller's own. A store that does not answer, or does not let us read, is no conflict. Tries once.
Status CheckNoOtherResult(const transfer::Location& folder, transfer::Stores& stores,
                          const std::function<bool(const Manifest&)>& own);

}  // namespace muster::launcher
