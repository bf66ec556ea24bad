#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dialect/framework.h"
#include "dialect/version.h"

namespace muster::dialect {

inline constexpr Version kCurrentPaddle{3, 3};
inline constexpr Version kFleetLaunch{2, 0};  // --ips
inline constexpr Version kRankInNode{2, 1};
inline constexpr Version kMasterLaunch{2, 3};  // --master, and the environment overrides flags
inline constexpr size_t kLongestEndpoints = 48'000;  // the limit of Paddle

// paddle.distributed.launch or fleetrun inside a job, for all three generations of flags.

bool UsesPaddleLaunch(const JobSpec& spec, const Role& role);
Status ApplyPaddleLaunch(const JobFacts& facts, std::vector<NodeOrder>& orders);
// Consecutive ports that the launchers of all nodes count up from: those before 2.3 make the
// endpoints of every node from their own first port.
int PortsOfPaddleLaunch(const JobSpec& spec);

// Removes flags of 1.8 that a current launcher ignores silently, so that N nodes would train
// separately: the job's variables have the same meaning, and a device list would break it on CPUs.
// Returns the removed flags; empty if none.
std::string TranslateOldFlags(std::vector<std::string>& argv);

// Threads, and no proxy, which would intercept connections between ranks.
void SetPaddleDefaults(const NodeShare& share, Pairs& env);

}  // namespace muster::dialect
