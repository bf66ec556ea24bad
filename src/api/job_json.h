#pragma once

#include "api/routes.h"
#include "base/json.h"
#include "store/journal.h"

namespace muster::api {

// One job of a list, with what only the server knows: why it waits, how far it is.
json::object RowJson(const Context& context, const store::JobRow& row);
// The whole job as in GET /jobs/{id}.
json::object JobJson(const Context& context, const Job& job);

}  // namespace muster::api
