#pragma once

#include "api/routes.h"
#include "base/json.h"
#include "store/journal.h"

namespace muster::api {

json::object RowJson(const store::JobRow& row);
// The whole job, as GET /jobs/{id} shows it.
json::object JobJson(const Context& context, const Job& job);

}  // namespace muster::api
