#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace muster {

// How a framework is to be started, where it knows more than one way. What is left out is chosen by
// the framework's file in dialect/.
struct Launch {
  std::string start = "auto";         // one of the framework's ways, see below
  std::string version;                // of the framework, "1.8.5"; empty: a current one
  std::string rank_table;             // its form: lab, cloud, 1.0, 1.1 or 1.2
  std::string device_addresses;       // a rule for the addresses of NPUs, for rank tables
  std::string interface;              // network interface that ranks meet over
  std::optional<int64_t> timeout_ms;  // how long ranks wait for each other
  bool operator==(const Launch&) const = default;
};

// The frameworks that a job file may name, each with a file of its own in dialect/, and the ways to
// start it beside "auto".
struct FrameworkWays {
  std::string_view name;
  std::array<std::string_view, 5> starts;  // the rest is empty
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

// The ways of one framework, "auto" not among them; none for an unknown name.
std::span<const std::string_view> WaysToStart(std::string_view framework);

}  // namespace muster
