#pragma once

#include "model/value_types.h"

namespace muster {

// `env` of a job: a map of values, or what the job takes from the submitting shell: inherit, none,
// or a list of inherit, names and NAME=VALUE (shell_env.h).
struct EnvEntries {
  std::optional<Pairs> Read(const Cursor& at) const;  // the values
  json::object Schema() const;
};

}  // namespace muster
