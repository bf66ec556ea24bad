#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "dialect/framework.h"
#include "model/spec.h"

namespace muster::dialect {

void SetEnv(Pairs& env, std::string_view name, std::string value);  // replaces
// Keeps a value of the user.
void SetEnvDefault(Pairs& env, std::string_view name, std::string value);
void DropEnv(Pairs& env, std::string_view name);
void SetEnv(Pairs& env, std::string_view name, std::integral auto value) {
  SetEnv(env, name, std::to_string(value));
}
void SetEnvDefault(Pairs& env, std::string_view name, std::integral auto value) {
  SetEnvDefault(env, name, std::to_string(value));
}

// The environment of every process on a node, hooks and the agent's commands included: variables
// of the submitting shell, the job's own `env` over them, defaults for what both leave out, and on
// top the names of job, node and devices. A framework adds its defaults here as well, so that the
// user's values win.
Pairs NodeEnv(const JobFacts& facts, int node);

// The variables of a rank in addition to those of its node.
Pairs RankEnv(const RankFacts& rank, const NodeOrder& order);

// Removes the variables of a rank from a process that starts the ranks itself: its children must
// not inherit its rank.
void DropRankEnv(Pairs& env);

// The number of threads for each of `processes` on a node: its share of the cpu slots, or 1 with
// other devices.
int ThreadsFor(const NodeShare& share, int processes);

// Whether the ranks of this node reach the others over the loopback interface.
bool IsLoopback(const NodeShare& share);

// The network interface for this node's ranks: the one in the job file, "lo" if nodes share a
// machine, else empty, and libraries choose.
std::string Interface(const JobSpec& spec, const NodeShare& share);

// Sets the interface in the variables of collective libraries, which otherwise guess, and the
// timeout in those that support it. Defaults: values of the user have precedence.
void SetMeetingDefaults(const JobSpec& spec, const NodeShare& share, Pairs& env);

// "10.0.0.1:6170"; IPv6 addresses in brackets.
std::string Endpoint(const std::string& address, int port);

}  // namespace muster::dialect
