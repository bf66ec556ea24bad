#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verdict/verdict.h"

namespace muster::verdict {

// What a framework's own launcher says of a process that it had started and that was killed. Muster
// sees that launcher end, with a code that tells nothing.
struct Obituary {
  int rank = 0;      // whose log has it, or who was stopped before it could say so: the launcher
  int signal = 0;    // never one that a launcher or a lost peer sends
  std::string who;   // "rank 3", in the launcher's own counting
  std::string line;  // safe to print; empty where there is none
};

// The first one in `last_lines`, those of the rank that ended first, or in those of `others`.
std::optional<Obituary> FindObituary(int first, const std::vector<std::string>& last_lines,
                                     std::span<const RankLines> others);

// The same of a launcher that was stopped before it had looked at its processes.
std::optional<Obituary> FindUnsaid(const Attempt& attempt);

}  // namespace muster::verdict
