#pragma once

#include <string>

#include "dialect/framework.h"

namespace muster::dialect {

struct MpiFiles {
  std::string slots;  // lines of "host slots=8"
  std::string hydra;  // lines of "host:8"
  std::string ssh;    // the ssh replacement
};

// The variables of mpirun and mpiexec: hosts, ssh replacement, interfaces, and settings for several
// nodes on one machine; for Open MPI 4, PRRTE and Hydra.
void SetMpirunEnv(const JobFacts& facts, const MpiFiles& files, NodeOrder& head, RankOrder& mpirun);

// Open MPI's daemons refuse to run as root without it.
void SetRootEnv(Pairs& env);

}  // namespace muster::dialect
