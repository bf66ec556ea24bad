#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace muster {

// How a framework is started, if it supports several ways. Omitted members are chosen by the
// framework's file in dialect/.
struct Launch {
  std::string start = "auto";         // one of the ways listed below
  std::string version;                // of the framework, "1.8.5"; empty for a current one
  std::string rank_table;             // form of the table: lab, cloud, 1.0, 1.1 or 1.2
  std::string device_addresses;       // a rule for the addresses of NPUs in rank tables
  std::string interface;              // network interface for the connections between ranks
  std::optional<int64_t> timeout_ms;  // time limit for the rendezvous of the ranks
  bool operator==(const Launch&) const = default;
};

// The frameworks that a job file may name, each with a file in dialect/, and their ways of starting
// besides "auto".
struct FrameworkWays {
  std::string_view name;
  std::array<std::string_view, 5> starts;  // unused entries are empty
};
inline constexpr std::array<FrameworkWays, 10> kFrameworkWays{
    {{"custom", {}},
     {"pytorch", {"env", "torchrun"}},
     {"mindspore", {"cluster", "rank_table", "msrun", "mpirun", "single"}},
     {"paddle", {"env", "launch"}},
     {"tensorflow", {"node", "rank"}},
     {"horovod", {"env", "horovodrun", "mpirun"}},
     {"mpi", {"openmpi", "mpich"}},
     {"deepspeed", {"env", "deepspeed"}},
     {"jax", {}},
     {"ray", {}}}};

inline constexpr auto kFrameworks = [] {
  std::array<std::string_view, kFrameworkWays.size()> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kFrameworkWays[i].name;
  return names;
}();

// The ways of one framework without "auto"; none for an unknown name.
std::span<const std::string_view> WaysToStart(std::string_view framework);

}  // namespace muster
