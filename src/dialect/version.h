#pragma once

#include <compare>

#include "model/spec.h"

namespace muster::dialect {

// The version of a framework, as far as launch contracts need it.
struct Version {
  int major = 0;
  int minor = 0;
  auto operator<=>(const Version&) const = default;
};

// The version in the job, or `current` if it names none.
Version VersionOf(const JobSpec& spec, Version current);

}  // namespace muster::dialect
