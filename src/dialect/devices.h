#pragma once

#include "dialect/framework.h"
#include "model/allocation.h"
#include "model/spec.h"

namespace muster::dialect {

// The rule for all frameworks: every rank sees all devices of the node's share, numbered from 0,
// and selects its own by local rank. Jobs on cpu slots are unchanged.
void SetDeviceEnv(const NodeShare& share, Pairs& env);

// Default ports of HCCL: a base per first device of a share, and separate ports for `processes`
// that share devices.
void SetHcclPorts(const NodeShare& share, int processes, Pairs& env);

// The device of a process whose framework does not select one, and the log folder of the vendor's
// libraries.
void SetOwnDevice(const NodeShare& share, const RankFacts& rank, const NodeOrder& order,
                  Pairs& env);

// The device numbers of a share, ascending, separated by commas.
std::string DeviceNumbers(const NodeShare& share);

// The index of a rank's device among the visible ones; -1 without devices.
int DeviceIndex(const RankFacts& rank);

}  // namespace muster::dialect
