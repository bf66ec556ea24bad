#pragma once

#include "apps/settings.h"
#include "model/field.h"

namespace muster::apps {

// The keys of the server's configuration. They drive reading, the refusal of unknown keys, and the
// schema. Flags of `muster server` have the same names with dashes and are read by the same table.
const Fields<Settings>& SettingsFields();

}  // namespace muster::apps
