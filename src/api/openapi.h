#pragma once

#include <string>
#include <vector>

#include "api/operation.h"
#include "base/json.h"

namespace muster::api {

// The OpenAPI 3.1 document of these operations.
json::object OpenApiDocument(const std::vector<Operation>& operations, const std::string& version);

}  // namespace muster::api
