#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "model/field.h"
#include "model/spec.h"

namespace muster {

// The tables of keys. They define reading, the refusal of unknown keys, the defaults and the
// schema.

// Nodes and devices as written in `resources` or in a role.
struct Sizes {
  std::optional<int> nodes;
  std::optional<DeviceRequest> devices;
  std::optional<int> ranks;  // per node
};

// A role and a job while they are read.
struct RoleDraft : Sizes {
  Role role;
  BuiltIns built_ins;
  std::string path;  // "roles.worker"; empty for a job without roles
};

struct JobDraft : JobSpec, Sizes {
  std::vector<RoleDraft> drafts;  // `roles` while they are read; one entry for a job without roles
  std::optional<int64_t> warning_said_ms;
  bool has_roles = false;
};

const Fields<JobDraft>& JobFields();
const Fields<RoleDraft>& RoleFields();

}  // namespace muster
