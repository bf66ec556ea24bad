#include "dialect/framework.h"
#include "dialect/mpirun.h"

namespace muster::dialect {

const Framework kMpi{
    .name = "mpi",
    .summary = "Open MPI or MPICH: one mpirun starts all ranks, the launchers stand in for ssh",
    .ports = NoPorts,
    .processes = MpirunProcesses,
    .apply = ApplyMpirun,
};

}  // namespace muster::dialect
