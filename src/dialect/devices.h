#pragma once

#include "dialect/framework.h"
#include "model/allocation.h"
#include "model/spec.h"

namespace muster::dialect {

// One policy for all frameworks: every rank of a node sees all devices of the node's share,
// numbered from 0, and picks its own by local rank. Jobs on cpu slots are left alone.
void SetDeviceEnv(const NodeShare& share, Pairs& env);

// The ports of HCCL, as defaults: a base for each first device of a share, and ports of their own
// for `processes` that share devices.
void SetHcclPorts(const NodeShare& share, int processes, Pairs& env);

// Which of them a process takes when its framework does not choose by itself, and where the
// vendor's libraries log.
void SetOwnDevice(const NodeShare& share, const RankFacts& rank, const NodeOrder& order,
                  Pairs& env);

// The numbers of a share's devices, ascending, with commas between.
std::string DeviceNumbers(const NodeShare& share);

// The index of a rank's device among the visible ones; -1 without devices.
int DeviceIndex(const RankFacts& rank);

}  // namespace muster::dialect
