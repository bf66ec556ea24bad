#pragma once

#include <string>

#include "dialect/framework.h"

namespace muster::dialect {

struct MpiFiles {
  std::string slots;  // "host slots=8" lines
  std::string hydra;  // "host:8" lines
  std::string ssh;    // the login stand-in
};

// What mpirun and mpiexec read: hosts, the login stand-in, interfaces, and how to behave where
// several nodes are one machine. The names of Open MPI 4, of its successor's runtime, and of Hydra.
void SetMpirunEnv(const JobFacts& facts, const MpiFiles& files, NodeOrder& head, RankOrder& mpirun);

// Open MPI's daemons refuse to be root without it.
void SetRootEnv(Pairs& env);

}  // namespace muster::dialect
