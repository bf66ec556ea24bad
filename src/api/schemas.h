#pragma once

#include <string_view>
#include <vector>

#include "base/json.h"
#include "model/spec_reader.h"

namespace muster::api {

// The shapes of all bodies, by name: `components.schemas` of the OpenAPI document, and what request
// bodies are held to.
const json::object& Schemas();

// Everything in `value` that is not as the named schema says, each with its path. Knows the part of
// JSON Schema that Schemas() uses: type, properties, required, additionalProperties, items, enum,
// minimum, maximum, maxLength and $ref.
std::vector<Fault> CheckSchema(const json::value& value, std::string_view name);

}  // namespace muster::api
