#pragma once

#include <string>
#include <vector>

#include "dialect/plan.h"

namespace muster::dialect {

// A job with one role, `nodes` × `count` devices, one rank per device.
inline JobSpec PlainSpec(std::string framework, int nodes, std::string kind, int count,
                         std::string run) {
  JobSpec spec;
  spec.name = "demo";
  spec.framework = std::move(framework);
  Role role;
  role.nodes = nodes;
  role.devices = {std::move(kind), count};
  role.ranks = count;
  role.run.text = std::move(run);
  spec.roles = {role};
  return spec;
}

inline Places SomePlaces() {
  return Places{.job = 7,
                .attempt = 2,
                .token = "t0k3n",
                .job_dir = "/data/jobs/7",
                .attempt_dir = "/data/jobs/7/attempts/2",
                .code_dir = "/data/code/abc",
                .muster = "/opt/muster"};
}

inline Result<std::vector<NodeOrder>> PlanSketch(const JobSpec& spec) {
  return Plan(spec, SketchAllocation(spec), SomePlaces());
}

// The value of a variable, or "(unset)".
inline std::string Env(const Pairs& env, std::string_view name) {
  for (const auto& [key, value] : env) {
    if (key == name) return value;
  }
  return "(unset)";
}

}  // namespace muster::dialect
