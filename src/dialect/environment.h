#pragma once

#include <string>
#include <string_view>

#include "dialect/framework.h"
#include "model/spec.h"

namespace muster::dialect {

void SetEnv(Pairs& env, std::string_view name, std::string value);         // replaces
void SetEnvDefault(Pairs& env, std::string_view name, std::string value);  // keeps a user's own
void DropEnv(Pairs& env, std::string_view name);

// What every process on a node gets, hooks and the agent's commands included: the user's variables,
// defaults where he has none, and on top what names job, node and devices.
Pairs NodeEnv(const JobFacts& facts, int node);

// The same with the variables of one rank.
Pairs RankEnv(const JobFacts& facts, const RankFacts& rank);

// Takes the variables of a rank away again, for a process that starts the ranks itself: its
// children must not take its place for theirs.
void DropRankEnv(Pairs& env);

// Threads that one of `processes` on a node may use: its part of the cpu slots, 1 beside devices.
int ThreadsFor(const NodeShare& share, int processes);

// Whether ranks on this node reach the others over the loopback interface.
bool IsLoopback(const NodeShare& share);

}  // namespace muster::dialect
