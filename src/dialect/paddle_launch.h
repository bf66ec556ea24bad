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
inline constexpr Version kMasterLaunch{2, 3};        // --master, and environment over flags
inline constexpr size_t kLongestEndpoints = 48'000;  // Paddle's own limit

// paddle.distributed.launch or fleetrun inside a job, on all three generations of its flags.

bool UsesPaddleLaunch(const JobSpec& spec, const Role& role);
Status ApplyPaddleLaunch(const JobFacts& facts, std::vector<NodeOrder>& orders);
// Consecutive ports that the launchers of all nodes count up from: those before 2.3 make the
// endpoints of every node from their own first port.
int PortsOfPaddleLaunch(const JobSpec& spec);

// Takes out the flags of 1.8 that a current launcher drops without a word, to train N times alone:
// the job's variables say the same in its own way, and a list of devices would even break it on the
// CPU. What was taken is said in the result, empty when nothing was.
std::string TranslateOldFlags(std::vector<std::string>& argv);

// Threads, and no proxy: it would stand between ranks.
void SetPaddleDefaults(const NodeShare& share, Pairs& env);

}  // namespace muster::dialect
