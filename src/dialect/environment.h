#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "dialect/framework.h"
#include "model/spec.h"

namespace muster::dialect {

void SetEnv(Pairs& env, std::string_view name, std::string value);         // replaces
void SetEnvDefault(Pairs& env, std::string_view name, std::string value);  // keeps a user's own
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

// What one rank has on top of its node's.
Pairs RankEnv(const RankFacts& rank, const NodeOrder& order);

// Takes the variables of a rank away again, for a process that starts the ranks itself: its
// children must not take its place for theirs.
void DropRankEnv(Pairs& env);

// Threads that one of `processes` on a node may use: its part of the cpu slots, 1 beside devices.
int ThreadsFor(const NodeShare& share, int processes);

// Whether ranks on this node reach the others over the loopback interface.
bool IsLoopback(const NodeShare& share);

// The interface that ranks of this node meet over: the job's word, "lo" where they share a machine,
// else empty, and the libraries choose.
std::string Interface(const JobSpec& spec, const NodeShare& share);

// The interface in the variables of the collective libraries, which otherwise guess, and the
// longest wait in those that take one. Defaults: a user's own values stay.
void SetMeetingDefaults(const JobSpec& spec, const NodeShare& share, Pairs& env);

// "10.0.0.1:6170"; IPv6 in brackets.
std::string Endpoint(const std::string& address, int port);

}  // namespace muster::dialect
