#include "dialect/hostfile.h"

#include <fmt/format.h>

#include "base/text.h"

namespace muster::dialect {

namespace {

template <typename Line>
std::string Lines(const JobFacts& facts, const std::vector<NodeOrder>& orders, const Role* only,
                  Line line) {
  std::string lines;
  for (const NodeOrder& order : orders) {
    const Role* role = facts.role_of_node[size_t(order.node)];
    if (role->service || (only != nullptr && role != only)) continue;
    lines += line(order.hostname, role->ranks);
  }
  return lines;
}

}  // namespace

std::string SlotLines(const JobFacts& facts, const std::vector<NodeOrder>& orders,
                      const Role* only) {
  return Lines(facts, orders, only, [](const std::string& host, int slots) {
    return fmt::format("{} slots={}\n", host, slots);
  });
}

std::string HydraLines(const JobFacts& facts, const std::vector<NodeOrder>& orders) {
  return Lines(facts, orders, nullptr, [](const std::string& host, int slots) {
    return fmt::format("{}:{}\n", host, slots);
  });
}

std::string DiscoveryScript(const JobFacts& facts, const std::vector<NodeOrder>& orders) {
  return "#!/bin/sh\n" + Lines(facts, orders, nullptr, [](const std::string& host, int slots) {
           return fmt::format("echo {}\n", ShellQuote(fmt::format("{}:{}", host, slots)));
         });
}

}  // namespace muster::dialect
