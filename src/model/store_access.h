#pragma once

#include <optional>

#include "model/reading.h"
#include "model/spec.h"

namespace muster {

// `store: {read: [PLACE, …], write: [PLACE, …]}` of a job file.
struct StoreAccessMap {
  std::optional<StoreAccess> Read(const Cursor& at) const;
  json::object Schema() const;
};

json::object ToJsonObject(const StoreAccess& access);

}  // namespace muster
