#include "model/spec_fields.h"
#include "model/spec_reader.h"

namespace muster {

json::object JobFileSchema() {
  json::object schema = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"$id", "urn:muster:job-file:1"},
      {"title", "Muster job file"},
      {"description", "A training job. Every text may hold variables, written ${name}."}};
  for (auto& member : TableSchema(JobFields())) schema[member.key()] = member.value();
  schema["anyOf"] = json::array{json::object{{"required", json::array{"run"}}},
                                json::object{{"required", json::array{"roles"}}}};
  const json::object sizes_beside_roles = {
      {"anyOf", json::array{json::object{{"required", json::array{"nodes"}}},
                            json::object{{"required", json::array{"devices"}}},
                            json::object{{"required", json::array{"ranks"}}}}}};
  schema["if"] = json::object{{"required", json::array{"roles"}}};
  schema["then"] = json::object{
      {"properties", json::object{{"resources", json::object{{"not", sizes_beside_roles}}}}}};
  return schema;
}

}  // namespace muster
