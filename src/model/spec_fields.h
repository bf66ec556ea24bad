#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "model/field.h"
#include "model/spec.h"

namespace muster {

// The tables of keys. They drive reading, the refusal of unknown keys, the defaults and the schema.

// What was said of nodes × devices, in `resources` or in one role.
struct Sizes {
  std::optional<int> nodes;
  std::optional<DeviceRequest> devices;
  std::optional<int> ranks;  // on each node
};

// A role and a job on their way.
struct RoleDraft : Sizes {
  Role role;
  BuiltIns built_ins;
  std::string path;  // "roles.worker"; empty for the plain form
};

struct JobDraft : JobSpec, Sizes {
  std::vector<RoleDraft> drafts;  // `roles` as they are read; one in the plain form
  std::optional<int64_t> warning_said_ms;
  bool has_roles = false;
};

const Fields<JobDraft>& JobFields();
const Fields<RoleDraft>& RoleFields();

}  // namespace muster
