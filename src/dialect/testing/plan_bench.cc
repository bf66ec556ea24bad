// Times plans of many nodes for each framework: `plan_bench [NODES [DEVICES]]`. Each line has a
// framework, its way of starting, and the milliseconds of ten plans.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/text.h"
#include "dialect/cases_for_test.h"

namespace {

using namespace muster;           // NOLINT: a program of one page
using namespace muster::dialect;  // NOLINT

constexpr int kRounds = 10;

std::vector<double> MillisecondsOf(const JobSpec& spec, const Allocation& allocation) {
  std::vector<double> all;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    const auto orders = Plan(spec, allocation, SomePlaces());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    if (!orders) {
      std::fprintf(stderr, "%s: %s\n", spec.framework.c_str(), orders.error().text.c_str());
      std::exit(1);
    }
    all.push_back(took.count());
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const int nodes = argc > 1 ? int(ParseInt(argv[1]).value_or(1024)) : 1024;
  const int devices = argc > 2 ? int(ParseInt(argv[2]).value_or(8)) : 8;
  for (const FrameworkInfo& info : Frameworks()) {
    for (const bool table : {false, true}) {
      if (table && std::string_view(info.name) != "mindspore") continue;
      JobSpec spec = PlainSpec(info.name, nodes, "npu", devices, "train.py");
      if (table) {
        spec.launch.start = "rank_table";
        spec.launch.device_addresses = "10.{s/250}.{s%250}.{1+d}";
      }
      if (spec.framework == "tensorflow") spec.launch.start = "node";
      std::printf("%-12s %-10s", info.name, spec.launch.start.c_str());
      for (const double ms : MillisecondsOf(spec, SketchAllocation(spec))) std::printf(" %.1f", ms);
      std::printf("\n");
    }
  }
  return 0;
}
