#pragma once

#include <string_view>
#include <vector>

#include "base/json.h"
#include "model/spec_reader.h"

namespace muster::api {

// The schemas of all bodies by name: `components.schemas` of the OpenAPI document, used to validate
// request bodies.
const json::object& Schemas();

// All violations of the named schema in `value`, with paths. Supports the keywords that Schemas()
// uses: type, properties, required, additionalProperties, items, enum, minimum, maximum, maxLength
// and $ref.
std::vector<Fault> CheckSchema(const json::value& value, std::string_view name);

}  // namespace muster::api
