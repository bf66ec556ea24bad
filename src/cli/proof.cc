#include "cli/proof.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"

namespace muster::cli {
namespace {

std::string NodeLine(const NodeStatus& node) {
  if (!node.confirmed_by.empty())
    return fmt::format("not proven ({}); {} confirmed that nothing is left",
                       Printable(node.unproven), Printable(node.confirmed_by));
  if (!node.unproven.empty())
    return fmt::format("NOT PROVEN: processes may be left, since {}", Printable(node.unproven));
  if (!node.clean) return node.lost ? "its launcher was lost" : "not cleared yet";
  const NodeClean& clean = *node.clean;
  if (clean.left > 0) return fmt::format("{} still there", Counted(clean.left, "process"));
  if (clean.found == 0) return "clean: nothing was left behind";
  std::string line =
      fmt::format("clean after {}: {} found, {} killed, none left", HumanDuration(clean.took_ms),
                  Counted(clean.found, "process"), clean.killed);
  if (!clean.names.empty()) line += fmt::format(" ({})", Printable(Join(clean.names, ", ")));
  return line;
}

}  // namespace

std::string ProofText(const JobView& job, int indent) {
  std::string text;
  if (!job.last()) return text;
  for (const NodeStatus& node : job.last()->nodes)
    text += fmt::format("{}{}: {}\n", std::string(size_t(indent), ' '), Printable(node.name),
                        NodeLine(node));
  return text;
}

json::array ProofJson(const JobView& job) {
  json::array proof;
  if (!job.last()) return proof;
  for (const NodeStatus& node : job.last()->nodes) {
    json::object line{{"node", node.name}};
    if (!node.unproven.empty()) line["unproven"] = node.unproven;
    if (!node.confirmed_by.empty()) line["confirmed_by"] = node.confirmed_by;
    if (node.clean) {
      line["found"] = node.clean->found;
      line["killed"] = node.clean->killed;
      line["left"] = node.clean->left;
      line["took_ms"] = node.clean->took_ms;
    }
    proof.push_back(std::move(line));
  }
  return proof;
}

}  // namespace muster::cli
