#pragma once

#include <compare>

#include "model/spec.h"

namespace muster::dialect {

// A framework's version as far as launch contracts care.
struct Version {
  int major = 0;
  int minor = 0;
  auto operator<=>(const Version&) const = default;
};

// What the job says of its framework, or `current` when it says nothing.
Version VersionOf(const JobSpec& spec, Version current);

}  // namespace muster::dialect
